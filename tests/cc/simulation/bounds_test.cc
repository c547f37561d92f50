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

TEST(Bounds, TimesAndRatesBeyondTheirEndsAreRefused) {
  for (const auto& [name, text] : {std::pair("nvdimm.media.command_time", "1001us"),
                                   {"nvdimm.nand.read_time", "101ms"},
                                   {"nvdimm.nand.ecc_time", "101ms"},
                                   {"nvdimm.nand.bus_rate", "999kT/s"},
                                   {"nvdimm.buffer.lookup", "1001us"},
                                   {"frontend.stall_limit", "3601s"},
                                   {"frontend.core.frequency", "11GHz"},
                                   {"storage.path.copy_in", "1001us"}}) {
    const std::vector<ParameterError> errors = Simulation::check({{name, text}});
    ASSERT_EQ(errors.size(), 1u) << name;
    EXPECT_EQ(errors[0].name, name);
    EXPECT_NE(errors[0].message.find(text), std::string::npos) << errors[0].message;
  }
}

}  // namespace
}  // namespace hmsim
