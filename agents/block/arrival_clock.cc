// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/arrival_clock.h"

#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

ArrivalClock::Arrival ArrivalClock::arrival(std::uint64_t ns) {
  if (!first_ns_) {
    first_ns_ = ns;
    latest_ns_ = ns;
  }
  const bool backward = ns < latest_ns_;
  latest_ns_ = later(latest_ns_, ns);
  const std::uint64_t after = ns > *first_ns_ ? ns - *first_ns_ : 0;
  // Nanoseconds x ppm / 1000 = picoseconds.
  const auto ppm = static_cast<std::uint64_t>(scale_ppm_);
  const auto longest = static_cast<std::uint64_t>(kLongestTime.value());
  if (ppm != 0 && after / 1'000 >= longest / ppm) {
    throw InputError(file_ + ": arrival " + std::to_string(ns) +
                     " ns is beyond the longest simulated time, about 53 days");
  }
  const std::uint64_t scaled = after / 1'000 * ppm + after % 1'000 * ppm / 1'000;
  return {sum_in_time(origin_, Tick(static_cast<std::int64_t>(scaled))), backward};
}

}  // namespace hmsim
