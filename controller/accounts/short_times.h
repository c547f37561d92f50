// SPDX-License-Identifier: BSD-3-Clause
// Histogram of times below about two nanoseconds, such as the wait of a request that arrives
// between two clock edges. Each costs one increment.
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
  // damaged checkpoint can produce, is not short.
  bool add(Tick time) {
    const auto picoseconds = static_cast<std::uint64_t>(time.value());
    if (picoseconds >= kEnd) {
      return false;
    }
    ++counts_[picoseconds];
    return true;
  }
  // Adds the counted times, in picoseconds, to the histogram. Resets the counts.
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
  std::array<Counter, kEnd> counts_{};  // by picosecond
};

}  // namespace hmsim
