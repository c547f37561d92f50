// SPDX-License-Identifier: BSD-3-Clause
#include "policies/refresh_pacer.h"

namespace hmsim {

// Rewrites blocks in turn at a constant rate, so that all are rewritten once in each period.
class PacedRefresh final : public RefreshPacer {
 public:
  Tick next(const RefreshView& view) const override {
    const Tick paced = later(view.last, view.oldest) + view.period / (view.blocks + 1);
    return earlier(paced, view.oldest + view.period);
  }
};

extern const PolicyDescriptor kPolicy_paced_refresh{
    PolicyKind::refresh_pacer, "paced_refresh", "one block after another, evenly over the period",
    "duty: OCP HBF 0.7.0, section 11.5; pacing: own", make_policy<PacedRefresh>};

}  // namespace hmsim
