// SPDX-License-Identifier: BSD-3-Clause
// Statistics that several parts of the storage have: what is in use, and how long requests spend
// where. Each registers its reset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/statistics.h"
#include "core/types.h"
#include "storage/server.h"

namespace hmsim {

// The mean of a level over time, as a share of `whole`.
inline void register_level(StatisticRegistry& registry, const std::string& path, const char* unit,
                           const char* description, Level& level, std::int64_t whole = 1) {
  registry.gauge(path, unit, description,
                 [&level, whole] { return level.mean() / static_cast<double>(whole); });
  registry.on_reset([&level](Tick now) { level.reset(now); });
}

// One of `E`, which number the parts of a request's time.
template <class E>
struct NamedPart {
  E part;
  const char* name;
  const char* description;
};

// The mean time of `requests` in each part, as PREFIXname_us. `Counts` has the times of ended
// requests by part, in picoseconds, their sum as `time`, and the number of these requests.
template <class Counts, class E, std::size_t kParts>
void register_parts(StatisticRegistry& registry, const std::string& prefix,
                    const NamedPart<E> (&names)[kParts], Counts& counts) {
  for (const NamedPart<E>& each : names) {
    registry.gauge(prefix + each.name + "_us", "us", each.description,
                   [&counts, index = static_cast<std::size_t>(each.part)] {
                     return counts.requests == 0 ? 0
                                                 : static_cast<double>(counts.parts[index]) /
                                                       static_cast<double>(counts.requests) /
                                                       static_cast<double>(kMicrosecond.value());
                   });
  }
  registry.on_reset([&counts](Tick) {
    counts.parts = {};
    counts.time = 0;
  });
}

}  // namespace hmsim
