// SPDX-License-Identifier: BSD-3-Clause
// The edges of a clock whose period need not be a whole number of picoseconds.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

// The longest time that a workload may reach: about 53 days.
inline constexpr Tick kLongestTime{std::int64_t{1} << 62};

[[noreturn]] void fail_too_late();  // throws InputError: a time lies past the longest

// Edge n lies at n / rate seconds, rounded up to a picosecond; edge 0 at time 0.
class RateClock {
 public:
  // Edges per millisecond; at least one, and less than one in a picosecond.
  explicit RateClock(std::int64_t per_millisecond = 1'000'000);

  Tick tick(std::int64_t edge) const {  // throws InputError past the longest time
    if (edge > last_edge_) {
      fail_too_late();
    }
    const std::int64_t whole = edge / edges_;
    const std::int64_t rest = edge - whole * edges_;
    return Tick(whole * picoseconds_ + (rest * picoseconds_ + edges_ - 1) / edges_);
  }
  std::int64_t edge_at_or_after(Tick time) const {
    if (time <= Tick(0)) {
      return 0;
    }
    const std::int64_t before = time.value() - 1;
    const std::int64_t whole = before / picoseconds_;
    const std::int64_t rest = before - whole * picoseconds_;
    return whole * edges_ + rest * edges_ / picoseconds_ + 1;
  }
  std::int64_t last_edge() const { return last_edge_; }

 private:
  // A period is picoseconds_ / edges_, in lowest terms.
  std::int64_t picoseconds_;
  std::int64_t edges_;
  std::int64_t last_edge_;
};

// a + b; throws InputError past the longest time. Both are in range.
inline Tick sum_in_time(Tick a, Tick b) {
  if (b > kLongestTime - a) {
    fail_too_late();
  }
  return a + b;
}

}  // namespace hmsim
