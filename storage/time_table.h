// SPDX-License-Identifier: BSD-3-Clause
// How long an operation takes, by its size: a line through points that somebody measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.h"
#include "core/units.h"

namespace hmsim {

// Between two points, time grows linearly with size. Below the first point it is the first one's;
// beyond the last, it goes on along the line through the last two, or, of a single point, stays.
// Times are rounded down to picoseconds, and none is longer than an hour.
class TimeTable {
 public:
  // "512B=80us, 4KiB=100us": sizes rise, times do not fall; so many points at most.
  static constexpr std::size_t kMostPoints = 64;
  static Parsed<TimeTable> parse(std::string_view text);

  Tick operator()(std::uint64_t bytes) const;

 private:
  std::vector<std::pair<std::uint64_t, Tick>> points_;  // at least one
};

}  // namespace hmsim
