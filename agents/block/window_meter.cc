// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/window_meter.h"

namespace hmsim {

void WindowMeter::set_windows(const std::vector<TraceWindow>& windows) {
  std::int64_t number = 0;
  for (const TraceWindow& each : windows) {
    Window window;
    window.weight = each.weight;
    window.begin = number + each.warmup;
    window.end = number = window.begin + each.length;
    windows_.push_back(window);
  }
}

void WindowMeter::begin_pass(Tick now) {
  taking_ = ending_ = 0;
  begun_ = false;
  for (Window& window : windows_) {
    window.blocks_taken = 0;
  }
  ended(0, now, false);
}

void WindowMeter::taken(std::int64_t number, std::int64_t blocks) {
  if (taking_ < windows_.size()) {
    Window& window = windows_[taking_];
    window.blocks_taken += number >= window.begin ? blocks : 0;
    taking_ += number + 1 == window.end ? 1 : 0;
  }
}

void WindowMeter::ended(std::int64_t number, Tick now, bool counts) {
  for (; ending_ < windows_.size() && number >= windows_[ending_].begin; ++ending_) {
    Window& window = windows_[ending_];
    window.began = begun_ ? window.began : now;
    begun_ = number < window.end;
    if (begun_) {
      return;
    }
    if (counts) {
      window.time += now - window.began;
      window.blocks += window.blocks_taken;
      window.requests += window.end - window.begin;
    }
  }
}

void WindowMeter::clear() {
  for (Window& window : windows_) {
    window.time = Tick(0);
    window.blocks = window.requests = 0;
  }
}

double WindowMeter::rate() const {
  double blocks = 0;
  double time = 0;
  for (const Window& window : windows_) {
    if (window.time == Tick(0)) {
      return 0;
    }
    const double share = window.weight / static_cast<double>(window.requests);
    blocks += share * static_cast<double>(window.blocks);
    time += share * seconds(window.time);
  }
  return windows_.empty() ? 0 : blocks / time;
}

void WindowMeter::register_statistics(StatisticRegistry& registry, const std::string& path) {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    registry.gauge(path + ".window." + std::to_string(i) + ".rate", "blocks/s",
                   "blocks per second in a window of its trace, up to the first finish",
                   [&window = windows_[i]] {
                     return window.time == Tick(0)
                                ? 0
                                : static_cast<double>(window.blocks) / seconds(window.time);
                   });
  }
}

void WindowMeter::serialize(Archive& archive) {
  for (Window& window : windows_) {
    window.serialize(archive);
  }
  archive(taking_, ending_, begun_);
}

}  // namespace hmsim
