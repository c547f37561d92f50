// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a simulation by their paths.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "simulation/simulation.h"

namespace hmsim::testing {

inline double value_of(const Simulation& simulation, const std::string& path) {
  for (const Statistic& statistic : simulation.statistics()) {
    if (statistic.path == path) {
      return statistic.kind == StatisticKind::counter ? static_cast<double>(statistic.count)
                                                      : statistic.value;
    }
  }
  ADD_FAILURE() << path;
  return 0;
}

}  // namespace hmsim::testing
