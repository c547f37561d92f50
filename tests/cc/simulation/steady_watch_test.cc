// SPDX-License-Identifier: BSD-3-Clause
// Which rates are steady, and which are those of buffers that fill?
#include "simulation/steady_watch.h"

#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

using Rates = SteadyWatch::Rates;

TEST(SteadyWatch, ARangeOfAFifthAndASlopeOfATenthAreFlat) {
  EXPECT_TRUE(SteadyWatch::flat(Rates{100, 100, 100, 100, 100}));
  EXPECT_TRUE(SteadyWatch::flat(Rates{110, 90, 100, 90, 110}));
  EXPECT_FALSE(SteadyWatch::flat(Rates{111, 90, 98, 90, 111}));
  // A straight line rises by what lies between its ends.
  EXPECT_TRUE(SteadyWatch::flat(Rates{95, 97.5, 100, 102.5, 105}));
  EXPECT_FALSE(SteadyWatch::flat(Rates{94.9, 97.5, 100, 102.5, 105.1}));
  EXPECT_FALSE(SteadyWatch::flat(Rates{105.1, 102.5, 100, 97.5, 94.9}));
  EXPECT_FALSE(SteadyWatch::flat(Rates{0, 0, 0, 0, 0}));
}

// Runs random writes of pages, in steps of the kernel, `batch` at a time.
std::unique_ptr<Simulation> write_pages(const char* requests, const Assignments& more = {},
                                        std::uint64_t batch = 1'000'000) {
  const Assignments config = with({{"nvdimm.buffer.write_size", "1MiB"},
                                   {"controller.outstanding", "queue"},
                                   {"frontend.block.window", "8"}},
                                  more);
  const std::vector<Assignments> agents{{{"kind", "io_pattern"},
                                         {"threads", "16"},
                                         {"read_share", "0"},
                                         {"size", "4KiB"},
                                         {"footprint", "1GiB"},
                                         {"requests", requests}}};
  auto simulation = std::make_unique<Simulation>(config, agents, RunOptions(), text_source(""));
  while (!simulation->run(batch)) {
  }
  return simulation;
}

// 256 pages fit into the buffer.
TEST(SteadyWatch, ABufferThatFillsMakesARateTransient) {
  const auto run = write_pages("256");
  EXPECT_NEAR(value_of(*run, "sim.absorbed"), 1, 0.1);
  EXPECT_EQ(value_of(*run, "agent.0.steady"), 0);
}

// Eight LUNs take a page each in 300 ns + 20.48 us + 650 us.
TEST(SteadyWatch, TheRateOfTheWindowIsThatOfFlash) {
  const auto run = write_pages("8000");
  constexpr double kFlash = 8 / 670.78e-6;
  EXPECT_GT(value_of(*run, "agent.0.rate"), 1.025 * kFlash);
  EXPECT_NEAR(value_of(*run, "agent.0.window_rate"), kFlash, 0.02 * kFlash);
  EXPECT_NEAR(value_of(*run, "sim.absorbed"), 256.0 / 8000, 0.002);
  EXPECT_EQ(value_of(*run, "agent.0.steady"), 0);
}

TEST(SteadyWatch, ASteadyRunEndsTheSameInStepsOfAnySize) {
  const Assignments until{{"frontend.until", "steady"}};
  const auto run = write_pages("1000000", until);
  const auto slow = write_pages("1000000", until, 777);
  EXPECT_EQ(run->now(), slow->now());
  EXPECT_EQ(value_of(*run, "agent.0.progress"), value_of(*slow, "agent.0.progress"));
  EXPECT_EQ(value_of(*run, "agent.0.finished"), 0);
  constexpr double kFlash = 8 / 670.78e-6;
  EXPECT_NEAR(value_of(*run, "agent.0.window_rate"), kFlash, 0.02 * kFlash);
}

}  // namespace
}  // namespace hmsim::testing
