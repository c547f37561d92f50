// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Closes a row that has not been used for `timeout`.
class TimeoutPage final : public PagePolicy {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time(
        "timeout", timeout_,
        {"time since the last column command to the row", "assumed: about two row cycles"});
  }
  PageDecision decide(const PageView& page) override { return {page.now + timeout_}; }

 private:
  Tick timeout_ = 100 * kNanosecond;
};

extern const PolicyDescriptor kPolicy_timeout_page{PolicyKind::page_policy, "timeout_page",
                                                   "rows are closed when unused for a fixed time",
                                                   "common usage", make_policy<TimeoutPage>};

}  // namespace hmsim
