// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Closes a row as soon as no queued request uses it.
class ClosedPage final : public PagePolicy {
 public:
  PageDecision decide(const PageView& page) override { return {page.now}; }
};

extern const PolicyDescriptor kPolicy_closed_page{
    PolicyKind::page_policy, "closed_page",
    "rows are closed as soon as no queued request uses them", "common usage",
    make_policy<ClosedPage>};

}  // namespace hmsim
