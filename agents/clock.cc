// SPDX-License-Identifier: BSD-3-Clause
#include "agents/clock.h"

#include <algorithm>
#include <numeric>

#include "core/errors.h"

namespace hmsim {

void fail_too_late() {
  throw InputError("the workload reaches past the longest simulated time, about 53 days");
}

RateClock::RateClock(std::int64_t per_millisecond) {
  constexpr std::int64_t kPicosecondsPerMillisecond = 1'000'000'000;
  const std::int64_t common = std::gcd(kPicosecondsPerMillisecond, per_millisecond);
  picoseconds_ = kPicosecondsPerMillisecond / common;
  edges_ = per_millisecond / common;
  // There is less than one edge in a picosecond, so that this cannot overflow.
  last_edge_ = kLongestTime.value() / picoseconds_ * edges_;
}

std::int64_t RateClock::edge_at_or_after(Tick time) const {
  if (time <= Tick(0)) {
    return 0;
  }
  const std::int64_t before = time.value() - 1;
  return before / picoseconds_ * edges_ + before % picoseconds_ * edges_ / picoseconds_ + 1;
}

}  // namespace hmsim
