// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Closes a row after `cap` column commands, even if queued requests would hit it, so that a stream
// of hits cannot block the bank (FR-FCFS-Cap, with scheduler fr_fcfs).
class CappedPage final : public PagePolicy {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer(
        "cap", cap_, {1, 1'000'000}, "accesses",
        {"column commands to a row before it is closed", "DRAMSim2: TOTAL_ROW_ACCESSES = 4"});
  }
  PageDecision decide(const PageView& page) override {
    return page.accesses < cap_ ? PageDecision{} : PageDecision{page.now, true};
  }

 private:
  std::int64_t cap_ = 4;
};

extern const PolicyDescriptor kPolicy_capped_page{
    PolicyKind::page_policy, "capped_page",
    "rows are closed after a fixed number of column commands",
    "Mutlu and Moscibroda, Stall-time fair memory access scheduling, MICRO 2007 (FR-FCFS-Cap)",
    make_policy<CappedPage>};

}  // namespace hmsim
