// SPDX-License-Identifier: BSD-3-Clause
// Does a run end when its time is up, and report a request that is denied service?
#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

// Endless row hits on one row; a line of another row of the same bank, 256 KiB further, waits
// forever.
const Assignments kUnfair = keys_from(
    "nvdimm.present=false controller.scheduler=fr_fcfs dram.refresh=false "
    "frontend.translation=modulo");
const std::vector<Assignments> kGreedy{
    keys_from("kind=synthetic pattern=random footprint=8KiB read_ratio=1 requests=100000000 "
              "outstanding=64"),
    keys_from(
        "kind=synthetic core=1 offset=256KiB footprint=64B interval=10us read_ratio=1 requests=2")};

std::unique_ptr<Simulation> make(const Assignments& limits, const RunOptions& options = {}) {
  Assignments config = with(kUnfair, limits);
  return std::make_unique<Simulation>(config, kGreedy, options, text_source(""));
}

TEST(RunLimits, ARequestThatIsDeniedServiceEndsTheRunInAnError) {
  const auto simulation = make({{"frontend.stall_limit", "200us"}});
  const std::string error = error_from([&] {
    while (!simulation->run(1'000)) {
    }
  });
  EXPECT_TRUE(names(error, {"frontend.stall_limit: ", "DRAM read", "core 1"}));
  EXPECT_GT(simulation->now(), 200 * kMicrosecond);
  EXPECT_LT(simulation->now(), 400 * kMicrosecond);
}

TEST(RunLimits, ARunEndsAtItsTimeLimitAtAnyProgress) {
  const auto simulation = make({{"frontend.time_limit", "300us"}});
  EXPECT_FALSE(simulation->run(10));
  const double early = simulation->progress();
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 0.8);
  while (!simulation->run(1'000)) {
  }
  EXPECT_EQ(simulation->now(), 300 * kMicrosecond);
  EXPECT_EQ(simulation->progress(), 1);
  EXPECT_EQ(value_of(*simulation, "sim.ticks"), 300e6);
  EXPECT_EQ(value_of(*simulation, "agent.0.finished"), 0);
  EXPECT_EQ(value_of(*simulation, "agent.1.finished"), 0);
  // 12.8 GB/s, minus the first access.
  EXPECT_NEAR(value_of(*simulation, "agent.0.progress"), 60'000, 600);
}

// Also in the very first cycle.
TEST(RunLimits, ARequestOfTimeZeroAlsoEndsTheRun) {
  std::vector<Assignments> agents = kGreedy;
  for (auto& [key, value] : agents.back()) {
    value = key == "interval" ? "0s" : key == "requests" ? "1" : value;
  }
  Assignments config = kUnfair;
  config.emplace_back("frontend.stall_limit", "200us");
  Simulation simulation(config, agents, {}, text_source(""));
  EXPECT_THROW(while (!simulation.run(1'000)){}, InputError);
}

TEST(RunLimits, ALimitIsAnHourAtMost) {
  EXPECT_THROW(make({{"frontend.time_limit", "3601s"}}), InputError);
  EXPECT_THROW(make({{"frontend.stall_limit", "3601s"}}), InputError);
}

TEST(RunLimits, TheLimitCountsFromTheStartOfMeasuring) {
  RunOptions options;
  options.warmup = 100 * kMicrosecond;
  const auto simulation = make({{"frontend.time_limit", "50us"}}, options);
  while (!simulation->run(1'000)) {
  }
  EXPECT_EQ(simulation->now(), 150 * kMicrosecond);
  EXPECT_EQ(value_of(*simulation, "sim.ticks"), 50e6);
}

TEST(RunLimits, ADurationCountsFromTheStartOfMeasuring) {
  RunOptions options;
  options.warmup = 2 * kMicrosecond;
  const Assignments keys = keys_from("kind=io_pattern requests=0 duration=20us");
  Simulation simulation({}, {keys, with(keys, {{"core", "1"}})}, options, text_source(""));
  run_to_end(simulation);
  EXPECT_EQ(simulation.now(), 22 * kMicrosecond);
}

}  // namespace
}  // namespace hmsim::testing
