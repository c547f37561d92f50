// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Gives the data bus to the transaction with the larger key, and breaks ties by arrival. With a
// unified queue this applies one scheduler to both classes.
class SchedulerOrder final : public BusArbiter {
 public:
  MemoryClass choose(const ArbiterView& view) override {
    if (view.dram_key != view.nvdimm_key) {
      return view.dram_key > view.nvdimm_key ? MemoryClass::dram : MemoryClass::nvdimm;
    }
    return view.dram.id < view.nvdimm.id ? MemoryClass::dram : MemoryClass::nvdimm;
  }
};

extern const PolicyDescriptor kPolicy_scheduler_order{
    PolicyKind::bus_arbiter, "scheduler_order",
    "the order of the single scheduler that ranks both classes (unified queue)",
    "the policy of a unified queue, made explicit", make_policy<SchedulerOrder>};

}  // namespace hmsim
