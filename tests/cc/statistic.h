// SPDX-License-Identifier: BSD-3-Clause
// Statistics by their paths.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/statistics.h"

namespace hmsim::testing {

inline Statistic statistic_of(const std::vector<Statistic>& all, const std::string& path) {
  for (const Statistic& each : all) {
    if (each.path == path) {
      return each;
    }
  }
  ADD_FAILURE() << "no statistic " << path;
  return {};
}

inline Statistic statistic_of(const StatisticRegistry& registry, const std::string& path) {
  return statistic_of(registry.read(), path);
}

// Returns the count of a counter, or the value of another statistic.
inline double number_of(const Statistic& each) {
  return each.kind == StatisticKind::counter ? static_cast<double>(each.count) : each.value;
}

}  // namespace hmsim::testing
