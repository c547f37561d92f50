// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host/slow_limit.h"

namespace hmsim {

// Estimates the service time of slow requests in each window as their mean holding time, by
// Little's law from the entries that they hold. If it exceeds kAbove times the shortest estimate
// so far, which stands for an unloaded memory, the limit is halved; otherwise it rises by one. DRAM
// requests are never limited. MIKU (arXiv 2503.17864) controls rates from estimates of service
// time; its rule is not in its abstract, so this rule is ours.
class ServiceLimit final : public SlowLimit {
 public:
  ServiceLimit() : SlowLimit(1) {}
  void on_leave(Tier tier, const HostView& view) override {
    if (tier == Tier::slow && view.now >= window_end_) {
      estimate(view);
      window_end_ = view.now + kWindow;
      left_ = view.left[kSlow];
      holding_ = view.holding[kSlow];
    }
  }
  void serialize(Archive& archive) override {
    archive(limit_, window_end_, left_, holding_, shortest_);
  }

 private:
  static constexpr Tick kWindow = 10 * kMicrosecond;
  static constexpr double kAbove = 1.5;

  void estimate(const HostView& view) {
    const auto left = static_cast<double>(view.left[kSlow] - left_);
    const double mean = static_cast<double>(view.holding[kSlow] - holding_) / left;
    shortest_ = shortest_ == 0 ? mean : earlier(shortest_, mean);
    if (mean > kAbove * shortest_) {
      lower_to(limit_ / 2);
    } else {
      raise();
    }
  }

  Tick window_end_{0};
  std::uint64_t left_ = 0;  // at the start of the window, as in HostView
  std::uint64_t holding_ = 0;
  double shortest_ = 0;  // picoseconds; 0: no estimate yet
};

extern const PolicyDescriptor kPolicy_service_limit{
    PolicyKind::host_limiter, "service_limit",
    "slow requests hold fewer entries while their service time is above its shortest estimate",
    "after the abstract of MIKU, arXiv 2503.17864; the rule is ours", make_policy<ServiceLimit>};

}  // namespace hmsim
