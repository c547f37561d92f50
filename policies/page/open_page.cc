// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Keeps a row open until a request needs another row of its bank, or its rank is refreshed.
class OpenPage final : public PagePolicy {
 public:
  PageDecision decide(const PageView& /*page*/) override { return {}; }
  bool keeps_rows_open() const override { return true; }
};

extern const PolicyDescriptor kPolicy_open_page{PolicyKind::page_policy, "open_page",
                                                "rows stay open until another row is needed",
                                                "common usage", make_policy<OpenPage>};

}  // namespace hmsim
