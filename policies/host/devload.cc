// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host_limiter.h"

namespace hmsim {

// Follows the load that a CXL device reports: the limit of its requests is halved at severe
// overload, falls by one at moderate overload, and rises by one at light load; one step in an
// interval. DDR devices report no load, so they are not limited.
class DevLoad final : public HostLimiter {
 public:
  void connect(const std::array<std::int64_t, kTiers>& entries) override {
    most_ = entries[kSlow];
    limit_ = most_;
  }
  bool admits(Tier tier, std::uint16_t /*source*/, const HostView& view) override {
    return tier == Tier::fast || view.held[kSlow] < limit_;
  }
  void on_load(LoadLevel level, Tick now) override {
    if (now < next_step_ || level == LoadLevel::optimal) {
      return;
    }
    next_step_ = now + kInterval;
    switch (level) {
      case LoadLevel::light:
        limit_ = earlier(most_, limit_ + 1);
        break;
      case LoadLevel::moderate:
        limit_ = later(kFewest, limit_ - 1);
        break;
      default:
        limit_ = later(kFewest, limit_ / 2);
    }
  }
  void serialize(Archive& archive) override { archive(limit_, next_step_); }

 private:
  static constexpr auto kSlow = index_of(Tier::slow);
  static constexpr Tick kInterval = 1 * kMicrosecond;
  static constexpr std::int64_t kFewest = 1;

  std::int64_t most_ = 0;
  std::int64_t limit_ = 0;
  Tick next_step_{0};
};

extern const PolicyDescriptor kPolicy_devload;
const PolicyDescriptor kPolicy_devload{
    PolicyKind::host_limiter, "devload",
    "slow requests hold fewer entries while the CXL device reports overload",
    "levels: DevLoad of CXL 2.0; the rule is ours", make_policy<DevLoad>};

}  // namespace hmsim
