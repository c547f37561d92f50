// SPDX-License-Identifier: BSD-3-Clause
// Clock whose period need not be a whole number of picoseconds.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

// Upper limit of simulated time: 2^62 ps, about 53 days.
inline constexpr Tick kLongestTime{std::int64_t{1} << 62};

[[noreturn]] void fail_too_late();  // throws InputError: time limit exceeded

// Clock defined by its rate. Edge n is at n / rate seconds, rounded up to a picosecond; edge 0 is
// at time 0.
class RateClock {
 public:
  // `per_millisecond` is the number of edges per millisecond. It must be at least 1, and the period
  // must be longer than 1 ps.
  explicit RateClock(std::int64_t per_millisecond = 1'000'000);

  Tick tick(std::int64_t edge) const {  // throws InputError past kLongestTime
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
  // The period is picoseconds_ / edges_, in lowest terms.
  std::int64_t picoseconds_;
  std::int64_t edges_;
  std::int64_t last_edge_;
};

// Returns a + b. Throws InputError past kLongestTime. Neither `a` nor `b` may exceed kLongestTime.
inline Tick sum_in_time(Tick a, Tick b) {
  if (b > kLongestTime - a) {
    fail_too_late();
  }
  return a + b;
}

}  // namespace hmsim
