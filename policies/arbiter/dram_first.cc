// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Gives DRAM the data bus whenever it can use it.
class DramFirst final : public BusArbiter {
 public:
  MemoryClass choose(const ArbiterView& /*view*/) override { return MemoryClass::dram; }
};

extern const PolicyDescriptor kPolicy_dram_first{PolicyKind::bus_arbiter, "dram_first",
                                                 "DRAM whenever it can take the bus",
                                                 "common usage", make_policy<DramFirst>};

}  // namespace hmsim
