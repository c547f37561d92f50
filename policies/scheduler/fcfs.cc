// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// First come, first served, per bank: banks proceed in parallel, each in order of arrival.
class Fcfs final : public TransactionScheduler {
 public:
  std::uint64_t key(const RequestView& /*request*/) const override { return 0; }
  FixedOrder fixed_order() const override { return FixedOrder::arrival; }
};

extern const PolicyDescriptor kPolicy_fcfs{PolicyKind::transaction_scheduler, "fcfs",
                                           "oldest first in each bank; banks proceed in parallel",
                                           "common usage", make_policy<Fcfs>};

}  // namespace hmsim
