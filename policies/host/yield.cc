// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host/slow_limit.h"

namespace hmsim {

// Slow requests yield entries to fast ones. When a fast request finds all entries of the shared
// queue held, the limit of slow requests falls to half of the entries that they hold. It does not
// fall again before they hold no more than the limit, because slow requests leave late. After each
// interval without such a fast request it rises by one. No time of the memories is needed.
class Yield final : public SlowLimit {
 public:
  Yield() : SlowLimit(4) {}
  void on_full(Tier tier, const HostView& view) override {
    if (tier == Tier::fast) {
      next_rise_ = view.now + kInterval;
      if (view.held[kSlow] <= limit_) {
        lower_to(view.held[kSlow] / 2);
      }
    }
  }
  void on_leave(Tier /*tier*/, const HostView& view) override {
    if (view.now >= next_rise_) {
      raise();
      next_rise_ = view.now + kInterval;
    }
  }
  void serialize(Archive& archive) override { archive(limit_, next_rise_); }

 private:
  static constexpr Tick kInterval = 10 * kMicrosecond;

  Tick next_rise_{0};
};

extern const PolicyDescriptor kPolicy_yield{
    PolicyKind::host_limiter, "yield",
    "slow requests hold fewer entries while fast requests wait for one",
    "ours: additive increase, multiplicative decrease", make_policy<Yield>};

}  // namespace hmsim
