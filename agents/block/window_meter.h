// SPDX-License-Identifier: BSD-3-Clause
// Meter of a block trace's windows: each separately, and a weighted estimate for the whole trace.
//
// The requests of a pass are numbered from 0 in the order in which the agent takes them. A window's
// time begins when all requests before the window's measured requests have completed. It ends when
// the measured requests have completed as well. A window's time therefore includes waits between
// requests, and the times of two windows never overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"
#include "traces/trace_windows.h"

namespace hmsim {

class WindowMeter {
 public:
  void set_windows(const std::vector<TraceWindow>& windows) {
    std::int64_t number = 0;
    for (const TraceWindow& each : windows) {
      const std::int64_t begin = number + each.warmup;
      number = begin + each.length;
      windows_.push_back({each.weight, begin, number});
    }
  }

  bool empty() const { return windows_.empty(); }

  void begin_pass(Tick now) {
    taking_ = ending_ = 0;
    begun_ = false;
    for (Window& window : windows_) {
      window.blocks_taken = 0;
    }
    ended(0, now, false);
  }

  // Records that request `number`, with `blocks` blocks, was taken.
  void taken(std::int64_t number, std::int64_t blocks) {
    if (taking_ < windows_.size()) {
      Window& window = windows_[taking_];
      window.blocks_taken += number >= window.begin ? blocks : 0;
      taking_ += number + 1 == window.end ? 1 : 0;
    }
  }

  // Records that all requests before `number` have completed. `counts`: whether the windows that
  // end thereby are measured.
  void ended(std::int64_t number, Tick now, bool counts) {
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

  void clear() {
    for (Window& window : windows_) {
      window.time = Tick(0);
      window.blocks = window.requests = 0;
    }
  }

  // Returns the estimated blocks per second of the whole trace. Each window stands for a share of
  // the requests equal to its weight. 0: some window is incomplete, or took no time.
  double rate() const {
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

  void register_statistics(StatisticRegistry& registry, const std::string& path) {
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

  void serialize(Archive& archive) {
    for (Window& window : windows_) {
      window.serialize(archive);
    }
    archive(taking_, ending_, begun_);
  }

 private:
  struct Window {
    double weight = 1;
    std::int64_t begin = 0;  // measured requests: begin to end - 1
    std::int64_t end = 0;
    Tick began{0};
    std::int64_t blocks_taken = 0;  // in this pass
    // Sums over all passes:
    Tick time{0};
    std::int64_t blocks = 0;
    std::int64_t requests = 0;
    void serialize(Archive& archive) { archive(began, blocks_taken, time, blocks, requests); }
  };

  std::vector<Window> windows_;
  std::size_t taking_ = 0;  // window of the requests being taken, or the next window
  std::size_t ending_ = 0;  // first window that has not ended
  bool begun_ = false;      // the time of window ending_ runs
};

}  // namespace hmsim
