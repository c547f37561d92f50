// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Gives the data bus to the class whose transaction arrived first.
class OldestFirst final : public BusArbiter {
 public:
  MemoryClass choose(const ArbiterView& view) override {
    return view.dram.id < view.nvdimm.id ? MemoryClass::dram : MemoryClass::nvdimm;
  }
};

extern const PolicyDescriptor kPolicy_oldest_first{PolicyKind::bus_arbiter, "oldest_first",
                                                   "the class whose transaction arrived first",
                                                   "common usage", make_policy<OldestFirst>};

}  // namespace hmsim
