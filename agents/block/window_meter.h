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
  void set_windows(const std::vector<TraceWindow>& windows);
  bool empty() const { return windows_.empty(); }
  std::int64_t requests() const { return windows_.empty() ? 0 : windows_.back().end; }  // per pass

  void begin_pass(Tick now);
  // Records that request `number`, with `blocks` blocks, was taken.
  void taken(std::int64_t number, std::int64_t blocks);
  // Records that all requests before `number` have completed. `counts`: whether the windows that
  // end thereby are measured.
  void ended(std::int64_t number, Tick now, bool counts);
  void clear();

  // Returns the estimated blocks per second of the whole trace. Each window stands for a share of
  // the requests equal to its weight. 0: some window is incomplete, or took no time.
  double rate() const;
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

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
