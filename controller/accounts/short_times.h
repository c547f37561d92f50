// SPDX-License-Identifier: BSD-3-Clause
// Times of less than some two nanoseconds, as of requests that come between two clock edges: each
// costs an increment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

class ShortTimes {
 public:
  static constexpr std::int64_t kEnd = 2'048;  // picoseconds

  // False: the time, which is not negative, is not short, and not counted.
  bool add(Tick time) {
    if (time.value() >= kEnd) {
      return false;
    }
    ++counts_[static_cast<std::size_t>(time.value())];
    return true;
  }
  // Adds them, in picoseconds, to those that the histogram holds, and forgets them.
  void fold(Histogram& histogram) {
    for (std::size_t time = 0; time < counts_.size(); ++time) {
      if (counts_[time] != 0) {
        histogram.add_times(static_cast<std::int64_t>(time), counts_[time]);
      }
    }
    reset();
  }
  void reset() { counts_ = {}; }

 private:
  std::array<Counter, kEnd> counts_{};  // by picoseconds
};

}  // namespace hmsim
