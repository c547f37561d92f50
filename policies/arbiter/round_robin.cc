// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Alternates: the class that lost the last contest gets the data bus.
class RoundRobin final : public BusArbiter {
 public:
  MemoryClass choose(const ArbiterView& /*view*/) override {
    last_ = last_ == MemoryClass::dram ? MemoryClass::nvdimm : MemoryClass::dram;
    return last_;
  }
  void serialize(Archive& archive) override { archive(last_); }

 private:
  MemoryClass last_ = MemoryClass::nvdimm;
};

extern const PolicyDescriptor kPolicy_round_robin{PolicyKind::bus_arbiter, "round_robin",
                                                  "the two classes in turn", "common usage",
                                                  make_policy<RoundRobin>};

}  // namespace hmsim
