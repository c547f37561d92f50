// SPDX-License-Identifier: BSD-3-Clause
#include "policies/gc_scheduler.h"

namespace hmsim {

// Collects an idle LUN in advance when its free blocks fall below a soft threshold, one page at a
// time while no request wants its flash channel. Below the normal threshold it collects in the
// foreground.
class Background final : public GcScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.real("soft_threshold", soft_threshold_, 1, 100, "times the threshold",
                    {"an idle LUN is collected when it has fewer free blocks", "assumed"});
  }

  bool start_idle(const GcView& view) override {
    constexpr std::int64_t kMillion = 1'000'000;
    const auto threshold = static_cast<std::int64_t>(soft_threshold_ * kMillion + 0.5);
    return view.lun.none() && view.free_blocks * kMillion < threshold * view.due_below;
  }
  bool copy(const GcView& view) override { return due(view) || view.channel.none(); }
  GcErase erase(const GcView& view) override { return {due(view) || view.lun.none(), 0}; }

 private:
  static bool due(const GcView& view) { return view.free_blocks < view.due_below; }

  double soft_threshold_ = 1.25;
};

extern const PolicyDescriptor kPolicy_background{PolicyKind::gc_scheduler, "background",
                                                 "in advance, while LUN and channel are idle",
                                                 "common usage", make_policy<Background>};

}  // namespace hmsim
