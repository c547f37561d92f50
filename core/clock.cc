// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.h"

#include <numeric>

#include "core/errors.h"

namespace hmsim {

void fail_too_late() {
  throw InputError("the workload exceeds the longest simulated time, about 53 days");
}

RateClock::RateClock(std::int64_t per_millisecond) {
  constexpr std::int64_t kPicosecondsPerMillisecond = 1'000'000'000;
  const std::int64_t common = std::gcd(kPicosecondsPerMillisecond, per_millisecond);
  picoseconds_ = kPicosecondsPerMillisecond / common;
  edges_ = per_millisecond / common;
  // The period exceeds 1 ps, so picoseconds_ > edges_ and this cannot overflow.
  last_edge_ = kLongestTime.value() / picoseconds_ * edges_;
}

}  // namespace hmsim
