// SPDX-License-Identifier: BSD-3-Clause
#include "policies/refresh_pacer.h"

namespace hmsim {

// Rewrites each block shortly before its deadline. Blocks that were written together are rewritten
// together.
class DeadlineRefresh final : public RefreshPacer {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.real("at", at_, 0.01, 1, "of the period",
                    {"age at which a block is rewritten", "assumed"});
  }
  Tick next(const RefreshView& view) const override {
    constexpr std::int64_t kParts = 1'000'000;
    const auto share = static_cast<std::int64_t>(at_ * static_cast<double>(kParts) + 0.5);
    return view.oldest + view.period / kParts * share;
  }

 private:
  double at_ = 0.9;
};

extern const PolicyDescriptor kPolicy_deadline_refresh;
const PolicyDescriptor kPolicy_deadline_refresh{PolicyKind::refresh_pacer, "deadline_refresh",
                                                "each block shortly before its deadline, in bursts",
                                                "duty: OCP HBF 0.7.0, section 11.5; pacing: own",
                                                make_policy<DeadlineRefresh>};

}  // namespace hmsim
