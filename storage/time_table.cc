// SPDX-License-Identifier: BSD-3-Clause
#include "storage/time_table.h"

#include <algorithm>

#include "core/text.h"

namespace hmsim {

namespace {

constexpr Tick kLongest = 3600 * kSecond;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;

// Returns rise x part / whole, but at most kLongest. `whole` is at most kLargest, `rise` at most
// kLongest.
Tick share(Tick rise, std::uint64_t part, std::uint64_t whole) {
  const auto base = static_cast<std::int64_t>(whole);
  const auto times = static_cast<std::int64_t>(part / whole);
  const auto rest = static_cast<std::int64_t>(part % whole);
  if (rise > Tick(0) && times >= kLongest / rise) {
    return kLongest;
  }
  return rise * times + rise / base * rest + Tick(rise.value() % base * rest / base);
}

}  // namespace

Parsed<TimeTable> TimeTable::parse(std::string_view text) {
  constexpr const char* kForm = "; expected SIZE=TIME, ..., for example 512B=80us, 4KiB=100us";
  TimeTable table;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view point = trimmed(rest.substr(0, comma));
    const std::size_t sign = point.find('=');
    const std::string where = "point " + std::to_string(table.points_.size() + 1) + ", '" +
                              std::string(point.substr(0, 40)) + "', ";
    if (sign == std::string_view::npos) {
      return {{}, where + "has no '='" + kForm};
    }
    const Parsed<Bytes> size = parse_size(trimmed(point.substr(0, sign)));
    const Parsed<Tick> time = parse_time(trimmed(point.substr(sign + 1)));
    if (!size.value || !time.value) {
      return {{}, where + "is invalid: " + (size.value ? time.error : size.error) + kForm};
    }
    const auto bytes = static_cast<std::uint64_t>(size.value->value());
    if (size.value->value() <= 0 || bytes > kLargest) {
      return {{},
              where + "has a size that is not between 1B and " +
                  format_size(Bytes(static_cast<std::int64_t>(kLargest)))};
    }
    if (*time.value < kNanosecond || *time.value > kLongest) {
      return {{}, where + "has a time that is not between 1ns and an hour"};
    }
    if (!table.points_.empty() &&
        (bytes <= table.points_.back().first || *time.value < table.points_.back().second)) {
      return {{}, where + "must have a larger size than the point before it, and no shorter time"};
    }
    if (table.points_.size() == kMostPoints) {
      return {{}, "must have at most " + std::to_string(kMostPoints) + " points"};
    }
    table.points_.emplace_back(bytes, *time.value);
    if (comma == std::string_view::npos) {
      return {table, ""};
    }
    rest.remove_prefix(comma + 1);
  }
}

Tick TimeTable::operator()(std::uint64_t bytes) const {
  if (bytes <= points_.front().first || points_.size() == 1) {
    return points_.front().second;
  }
  // The first point of at least `bytes`. Beyond the table, its last point: the last segment is
  // extrapolated.
  const auto above =
      std::lower_bound(points_.begin() + 1, points_.end() - 1, bytes,
                       [](const auto& point, std::uint64_t size) { return point.first < size; });
  const auto& [low, low_time] = *(above - 1);
  const auto& [high, high_time] = *above;
  const Tick grown = low_time + share(high_time - low_time, bytes - low, high - low);
  return earlier(grown, kLongest);
}

}  // namespace hmsim
