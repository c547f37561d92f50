// SPDX-License-Identifier: BSD-3-Clause
// Measures what windows of a block trace took, each by itself, and what that means for all of it.
//
// Requests of a pass are numbered from 0, in the order in which they are taken. A window's time
// runs from when all requests before its measured ones have ended until all of those have, too: so
// it holds what they waited for each other, and windows' times do not overlap.
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
  std::int64_t requests() const { return windows_.empty() ? 0 : windows_.back().end; }  // of a pass

  void begin_pass(Tick now);
  // Notes that a request was taken that has so many blocks.
  void taken(std::int64_t number, std::int64_t blocks);
  // Notes that all requests before this number have ended, and whether that still counts.
  void ended(std::int64_t number, Tick now, bool counts);
  void clear();

  // Blocks per second of the whole trace, of which each window stands for a share of the requests
  // as large as its weight; 0: some window has not ended, or took no time.
  double rate() const;
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

 private:
  struct Window {
    double weight = 1;
    std::int64_t begin = 0;  // first request that is measured, and the one behind the last
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
  std::size_t taking_ = 0;  // the window that requests are taken of, or that comes next
  std::size_t ending_ = 0;  // the first that has not ended
  bool begun_ = false;      // and whether its time runs
};

}  // namespace hmsim
