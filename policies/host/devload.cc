// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host/slow_limit.h"

namespace hmsim {

// Follows the load that a CXL device reports: the limit of its requests is halved at severe
// overload, falls by one at moderate overload, and rises by one at light load; one step in an
// interval. DDR devices report no load, so they are not limited.
class DevLoad final : public SlowLimit {
 public:
  DevLoad() : SlowLimit(1) {}
  void on_load(LoadLevel level, Tick now) override {
    if (now < next_step_ || level == LoadLevel::optimal) {
      return;
    }
    next_step_ = now + kInterval;
    switch (level) {
      case LoadLevel::light:
        raise();
        break;
      case LoadLevel::moderate:
        lower_to(limit_ - 1);
        break;
      default:
        lower_to(limit_ / 2);
    }
  }
  void serialize(Archive& archive) override { archive(limit_, next_step_); }

 private:
  static constexpr Tick kInterval = 1 * kMicrosecond;

  Tick next_step_{0};
};

extern const PolicyDescriptor kPolicy_devload{
    PolicyKind::host_limiter, "devload",
    "slow requests hold fewer entries while the CXL device reports overload",
    "levels: DevLoad of CXL 2.0; the rule is ours", make_policy<DevLoad>};

}  // namespace hmsim
