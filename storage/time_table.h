// SPDX-License-Identifier: BSD-3-Clause
// Time of an operation by its size, interpolated between measured points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.h"
#include "core/units.h"

namespace hmsim {

// Piecewise linear function. Between two points, time grows linearly with size. Below the first
// point, it is that of the first. Beyond the last, it continues along the line through the last two
// points, or is constant for a single point. Times are rounded down to picoseconds and limited to
// one hour.
class TimeTable {
 public:
  // Parses text such as "512B=80us, 4KiB=100us": ascending sizes, non-decreasing times, at most
  // kMostPoints points.
  static constexpr std::size_t kMostPoints = 64;
  static Parsed<TimeTable> parse(std::string_view text);

  Tick operator()(std::uint64_t bytes) const;

 private:
  std::vector<std::pair<std::uint64_t, Tick>> points_;  // at least one
};

}  // namespace hmsim
