// SPDX-License-Identifier: BSD-3-Clause
// Are traces without times replayed at the configured rate?
#include <gtest/gtest.h>

#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

constexpr const char* kLoads = "LD 0\nST 64\nLD 0x80\nLD 192\n";

TEST(PacedTraces, AStreamSendsARequestEachInterval) {
  Bench bench{
      "memory_trace",
      {{"path", "t"}, {"format", "ramulator2_ls"}, {"mode", "timed"}, {"interval", "2500ps"}},
      kLoads};
  bench.slots = 8;
  bench.latency = fixed(Tick(10));
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  ASSERT_EQ(test.port.log.size(), 4u);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Sent& sent = test.port.log[static_cast<std::size_t>(i)];
    EXPECT_EQ(sent.time, Tick(2'500 * i));
    EXPECT_EQ(sent.address, 64 * i);
    EXPECT_EQ(sent.write, i == 1);
  }
}

// A core of width 4 without stalls: requests, each the last of 400 instructions, are 100 cycles
// apart.
TEST(PacedTraces, ACoreRunsTheGivenInstructionsForEachRequest) {
  Bench bench{
      "llc_trace",
      keys_from("path=t format=ramulator2_ls instructions_per_request=400 width=4 frequency=1GHz"),
      kLoads};
  bench.slots = 8;
  bench.latency = fixed(Tick(10));
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  ASSERT_EQ(test.port.log.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(test.port.log[i].time - test.port.log[i - 1].time, Tick(100'000)) << i;
    EXPECT_EQ(test.port.log[i].write, i == 1);
  }
}

TEST(PacedTraces, ARateIsRequiredIffTheTraceHasNoTimes) {
  const auto refused = [](const char* kind, Assignments keys) {
    keys.emplace_back("path", "t");
    EXPECT_THROW(make_agent_of(kind, keys), InputError);
  };
  refused("memory_trace", {{"format", "ramulator2_ls"}, {"mode", "timed"}});
  refused("memory_trace", {{"format", "ramulator2_ls"}, {"interval", "1ns"}});
  refused("memory_trace", {{"format", "dramsim3"}, {"mode", "timed"}, {"interval", "1ns"}});
  refused("memory_trace", {{"format", "ramulator2_ls"}, {"mode", "timed"}, {"interval", "2s"}});
  refused("memory_trace", {{"format", "ramulator2_rw"}});
  refused("memory_trace", {{"format", "ramulator2_ls"}, {"levels", "2,2"}});
  refused("llc_trace", {{"format", "ramulator2_ls"}});
  refused("llc_trace", {{"format", "usimm"}, {"instructions_per_request", "4"}});
  refused("llc_trace", {{"format", "dramsim3"}, {"instructions_per_request", "4"}});
  make_agent_of("llc_trace", {{"path", "t"}, {"format", "usimm"}});
}

}  // namespace
}  // namespace hmsim::testing
