// SPDX-License-Identifier: BSD-3-Clause
// Statistics common to several parts of the storage: utilisation, and parts of request time. Each
// function also registers the reset.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/statistics.h"
#include "core/types.h"
#include "storage/server.h"

namespace hmsim {

// Registers the mean of a level over time, as a share of `whole`.
inline void register_level(StatisticRegistry& registry, const std::string& path, const char* unit,
                           const char* description, Level& level, std::int64_t whole = 1) {
  registry.gauge(path, unit, description,
                 [&level, whole] { return level.mean() / static_cast<double>(whole); });
  registry.on_reset([&level](Tick now) { level.reset(now); });
}

// Name and description of one value of `E`, which numbers the parts of a request's time.
template <class E>
struct NamedPart {
  E part;
  const char* name;
  const char* description;
};

// Registers the mean time of `requests` in each part, as PREFIXname_us. `parts` are the total times
// of completed requests in picoseconds. `requests` is their number, which the caller resets.
template <class E, std::size_t kParts>
void register_parts(StatisticRegistry& registry, const std::string& prefix,
                    const NamedPart<E> (&names)[kParts], std::array<Counter, kParts>& parts,
                    const Counter& requests) {
  for (const NamedPart<E>& each : names) {
    registry.gauge(prefix + each.name + "_us", "us", each.description,
                   [&time = parts[static_cast<std::size_t>(each.part)], &requests] {
                     return requests == 0
                                ? 0
                                : static_cast<double>(time) / static_cast<double>(requests) /
                                      static_cast<double>(kMicrosecond.value());
                   });
  }
  registry.on_reset([&parts](Tick) { parts = {}; });
}

}  // namespace hmsim
