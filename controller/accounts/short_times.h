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
  static constexpr std::uint64_t kEnd = 2'048;  // picoseconds

  // Returns false, and counts nothing, if the time is not short. A negative time, which only a
  // damaged checkpoint leads to, is not short.
  bool add(Tick time) {
    const auto picoseconds = static_cast<std::uint64_t>(time.value());
    if (picoseconds >= kEnd) {
      return false;
    }
    ++counts_[picoseconds];
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
