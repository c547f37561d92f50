// SPDX-License-Identifier: BSD-3-Clause
// Parts of a request's time, and their statistics.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

// Time of a request in each of the parts that `E` numbers. Every moment counts in one part.
template <class E, std::size_t kParts>
struct PartTimes {
  Tick since{0};  // time before this is charged
  std::array<Tick, kParts> parts{};

  void charge(E part, Tick now) {
    parts[static_cast<std::size_t>(part)] += now - since;
    since = now;
  }
  void add_to(std::array<Counter, kParts>& sums) const {  // picoseconds
    for (std::size_t i = 0; i < kParts; ++i) {
      sums[i] += static_cast<Counter>(parts[i].value());
    }
  }
  Tick& operator[](E part) { return parts[static_cast<std::size_t>(part)]; }
  Tick operator[](E part) const { return parts[static_cast<std::size_t>(part)]; }
  Tick sum() const { return std::accumulate(parts.begin(), parts.end(), Tick(0)); }
  void serialize(Archive& archive) {
    archive(since, parts);
    static constexpr Tick kMost = kNever / (2 * static_cast<std::int64_t>(kParts));
    const auto adds_up = [](Tick part) { return part >= Tick(0) && part < kMost; };
    archive.check(since >= Tick(0) && std::all_of(parts.begin(), parts.end(), adds_up),
                  "invalid part of a request's time");
  }
};

// Name and description of one value of `E`, which numbers the parts of a request's time.
template <class E>
struct NamedPart {
  E part;
  const char* name;
  const char* description;
};

// Registers the mean time of `requests` in each part, as name_us, and its reset. `parts` are the
// total times of completed requests in picoseconds. `requests` is their number, which the caller
// resets.
template <class E, std::size_t kParts>
void register_parts(const StatisticGroup& group, const NamedPart<E> (&names)[kParts],
                    std::array<Counter, kParts>& parts, const Counter& requests) {
  for (const NamedPart<E>& each : names) {
    group.gauge(std::string(each.name) + "_us", "us", each.description,
                [&time = parts[static_cast<std::size_t>(each.part)], &requests] {
                  return requests == 0 ? 0
                                       : static_cast<double>(time) / static_cast<double>(requests) /
                                             static_cast<double>(kMicrosecond.value());
                });
  }
  group.registry().on_reset([&parts](Tick) { parts = {}; });
}

}  // namespace hmsim
