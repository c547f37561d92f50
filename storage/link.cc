// SPDX-License-Identifier: BSD-3-Clause
#include "storage/link.h"

#include <string>

namespace hmsim {

void LinkParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "link");
  constexpr const char* kSource = "Caulfield et al. 2010, Fig. 3, and rates of large requests";
  parameters.time("to_host", to_host.per_kib,
                  {"time per KiB that a transfer to the host occupies the link", kSource});
  parameters.time(
      "to_host_fixed", to_host.fixed,
      {"additional time until the host has the data; other transfers may follow", kSource});
  parameters.time("from_host", from_host.per_kib,
                  {"time per KiB that a transfer from the host occupies the link", kSource});
  parameters.time(
      "from_host_fixed", from_host.fixed,
      {"additional time until the device has the data; other transfers may follow", kSource});
}

}  // namespace hmsim
