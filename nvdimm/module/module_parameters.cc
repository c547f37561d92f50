// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/module/module_parameters.h"

namespace hmsim {

void PowerParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "power");
  const ParameterSet::PartData part(set);
  set.integer_or("energy", energy, {1, 1'000'000'000}, "enough", kEnoughEnergy, "mJ",
                 {"energy of the ultracapacitors; a configuration is refused if it may not suffice "
                  "to save the write part at a power failure",
                  "assumed"});
  set.integer("draw", draw, {1, 1'000'000}, "mW",
              {"power drawn while the write part is saved", "assumed"});
}

}  // namespace hmsim
