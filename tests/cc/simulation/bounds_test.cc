// SPDX-License-Identifier: BSD-3-Clause
// Can a parameter be set so that a run never advances?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulation/simulation.h"

namespace hmsim {
namespace {

std::vector<ParameterInfo> all_parameters() {
  std::vector<ParameterInfo> all = Simulation::parameters();
  for (const std::string& kind : Simulation::agent_kinds()) {
    for (ParameterInfo& each : Simulation::agent_parameters(kind)) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

TEST(Bounds, EveryTimeAndRateHasBothEnds) {
  int found = 0;
  for (const ParameterInfo& each : all_parameters()) {
    if (each.type == "time" || each.type == "rate" || each.type == "frequency") {
      EXPECT_NE(each.range.find(" .. "), std::string::npos) << each.name;
      ++found;
    }
  }
  EXPECT_GT(found, 80);
}

}  // namespace
}  // namespace hmsim
