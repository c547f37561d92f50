// SPDX-License-Identifier: BSD-3-Clause
#include "policies/refresh_pacer.h"

namespace hmsim {

// Rewrites each block shortly before its deadline. Blocks that were written together are rewritten
// together.
class DeadlineRefresh final : public RefreshPacer {
 public:
  Tick next(const RefreshView& view) const override {
    return view.oldest + view.period / kParts * kAge;
  }

 private:
  static constexpr std::int64_t kAge = 900'000;  // at which a block is rewritten, of kParts
  static constexpr std::int64_t kParts = 1'000'000;
};

extern const PolicyDescriptor kPolicy_deadline_refresh{
    PolicyKind::refresh_pacer, "deadline_refresh",
    "each block shortly before its deadline, in bursts",
    "duty: OCP HBF 0.7.0, section 11.5; pacing: own", make_policy<DeadlineRefresh>};

}  // namespace hmsim
