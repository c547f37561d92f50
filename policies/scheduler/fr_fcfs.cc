// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// First ready, first come, first served: row hits first, then the oldest.
class FrFcfs final : public TransactionScheduler {
 public:
  std::uint64_t key(const RequestView& request) const override { return request.row_hit ? 1 : 0; }
  FixedOrder fixed_order() const override { return FixedOrder::hits_first; }
};

extern const PolicyDescriptor kPolicy_fr_fcfs{
    PolicyKind::transaction_scheduler, "fr_fcfs", "row hits first, then oldest first",
    "Rixner et al., Memory access scheduling, ISCA 2000", make_policy<FrFcfs>};

}  // namespace hmsim
