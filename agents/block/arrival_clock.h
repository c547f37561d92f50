// SPDX-License-Identifier: BSD-3-Clause
// Arrival times of a block trace's requests when it is replayed at its own times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/archive.h"
#include "core/clock.h"
#include "core/errors.h"
#include "core/types.h"

namespace hmsim {

// Clock of arrivals. Converts trace times to simulated time: counts them from the first request
// after a restart, and scales them. A trace time before the first request's counts as the first
// request's, so no request arrives before the origin.
class ArrivalClock {
 public:
  struct Arrival {
    Tick time;
    bool backward = false;  // the trace time precedes that of an earlier request
  };

  ArrivalClock() = default;
  // `file` names the trace in messages. `scale` has a resolution of 0.000001.
  ArrivalClock(std::string file, double scale)
      : file_(std::move(file)), scale_ppm_(static_cast<std::int64_t>(scale * 1'000'000 + 0.5)) {}

  // Restarts the clock: the next request arrives at `origin`.
  void restart(Tick origin) {
    origin_ = origin;
    first_ns_.reset();
  }
  // Returns the arrival of a request at trace time `ns`. Throws InputError beyond the longest
  // simulated time.
  Arrival arrival(std::uint64_t ns) {
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

  void serialize(Archive& archive) { archive(origin_, first_ns_, latest_ns_); }

 private:
  std::string file_;
  std::int64_t scale_ppm_ = 1'000'000;
  Tick origin_{0};
  std::optional<std::uint64_t> first_ns_;  // trace time at the origin
  std::uint64_t latest_ns_ = 0;            // largest trace time so far
};

}  // namespace hmsim
