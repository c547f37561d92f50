// SPDX-License-Identifier: BSD-3-Clause
// When the requests of a block trace arrive that is replayed at its own times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// Arrivals count from that of the first request behind a restart, and are scaled. The trace's order
// stands: an arrival before the first one counts as that.
class ArrivalClock {
 public:
  struct Arrival {
    Tick time;
    bool backward = false;  // the trace dates it before an earlier request's
  };

  ArrivalClock() = default;
  // `file` names the trace in messages; `scale` counts in steps of 0.000001.
  ArrivalClock(std::string file, double scale)
      : file_(std::move(file)), scale_ppm_(static_cast<std::int64_t>(scale * 1'000'000 + 0.5)) {}

  // The next request arrives at `origin`.
  void restart(Tick origin) {
    origin_ = origin;
    first_ns_.reset();
  }
  // Throws InputError for an arrival past the longest simulated time.
  Arrival arrival(std::uint64_t ns);

  void serialize(Archive& archive) { archive(origin_, first_ns_, latest_ns_); }

 private:
  std::string file_;
  std::int64_t scale_ppm_ = 1'000'000;
  Tick origin_{0};
  std::optional<std::uint64_t> first_ns_;  // the trace's time at the origin
  std::uint64_t latest_ns_ = 0;            // of all since then
};

}  // namespace hmsim
