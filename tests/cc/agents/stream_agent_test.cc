// SPDX-License-Identifier: BSD-3-Clause
// Do memory traces and generated streams send the right requests at the right times?
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agents/stream/agent_memory_trace.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

Bench trace_bench(const std::string& trace, Assignments more = {}) {
  Bench bench{"memory_trace", {{"path", "t"}, {"format", "dramsim3"}}, trace};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  return bench;
}

Bench synthetic_bench(Assignments keys) { return {"synthetic", std::move(keys)}; }

std::string hundred() {
  std::string trace;
  for (int i = 0; i < 100; ++i) {
    trace += std::to_string(i) + "00 " + (i % 4 == 3 ? "WRITE " : "READ ") +
             std::to_string(10 * i) + "\n";
  }
  return trace;
}

TEST(MemoryTrace, SaturatingKeepsOneRequestOutside) {
  Bench bench = trace_bench(hundred());
  bench.slots = 8;
  AgentUnderTest test(bench);
  std::size_t full = 0;
  while (!test.agent->finished_once()) {
    ASSERT_TRUE(test.kernel.step(kNever));
    full += test.port.used() == 8 ? 1 : 0;
  }
  EXPECT_EQ(test.port.most_outside, 1u);
  EXPECT_EQ(full, 12u);  // after every completion except the last four
  ASSERT_EQ(test.port.log.size(), 100u);
  EXPECT_EQ(test.port.log[1].address, 0x100);
  EXPECT_TRUE(test.port.log[3].write);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 100);
  // 100 requests through 8 slots of 100 ns.
  EXPECT_EQ(test.kernel.now(), 13 * 100 * kNanosecond);
}

TEST(MemoryTrace, TimedSendsAtItsCycles) {
  AgentUnderTest test(trace_bench(hundred(), {{"mode", "timed"}}));
  ASSERT_TRUE(test.finish());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(test.port.log[static_cast<std::size_t>(i)].time, Tick(12'500) * i);
  }
  AgentUnderTest slow(trace_bench(hundred(), {{"mode", "timed"}, {"frequency", "3MHz"}}));
  ASSERT_TRUE(slow.finish());
  EXPECT_EQ(slow.port.log[1].time.value(), 3'333'334);
}

TEST(MemoryTrace, TimedStallsBeyondItsQueue) {
  std::string trace;
  for (int i = 0; i < 10'000; ++i) {
    trace += "40 READ " + std::to_string(i) + "\n";
  }
  Bench bench = trace_bench(trace, {{"mode", "timed"}});
  bench.slots = 1;
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.port.most_outside, static_cast<std::size_t>(MemoryTrace::kTimedOutside));
  EXPECT_EQ(test.kernel.now(), 10'000 * 100 * kNanosecond);
}

// Request i has the time i x 1.25 ns. One is admitted each 100 ns, so request i finds a place among
// the 4096 outside at (i - 4096) x 100 ns. Without the limit, none is held back.
TEST(MemoryTrace, CountsTheTimeHeldBackBeyondItsQueue) {
  for (const std::int64_t requests : {4'000, 10'000}) {
    std::string trace;
    double held = 0;
    for (std::int64_t i = 0; i < requests; ++i) {
      trace += "40 READ " + std::to_string(i) + "\n";
      const double room = static_cast<double>(i - MemoryTrace::kTimedOutside) * 100;
      held += std::max(0.0, room - static_cast<double>(i) * 1.25);
    }
    Bench bench = trace_bench(trace, {{"mode", "timed"}});
    bench.slots = 1;
    AgentUnderTest test(bench);
    StatisticRegistry registry;
    test.agent->register_statistics(registry, "agent.0");
    ASSERT_TRUE(test.finish());
    const std::vector<Statistic> statistics = registry.read();
    ASSERT_EQ(statistics.size(), 1u);
    EXPECT_EQ(statistics[0].path, "agent.0.held_back_us");
    EXPECT_EQ(statistics[0].count, static_cast<std::uint64_t>(requests));
    EXPECT_NEAR(statistics[0].summary[0].second * static_cast<double>(requests), held / 1'000,
                1e-9 * held);
  }
}

TEST(MemoryTrace, AddressesFallIntoTheirTarget) {
  const std::string trace = "0 READ 0\n17FFFFF READ 0\n3000000 READ 0\n1000040 READ 0\n";
  struct Case {
    const char* target;
    std::vector<std::pair<MemoryClass, std::int64_t>> wanted;
    std::uint64_t wraps;
  };
  const auto d = MemoryClass::dram;
  const auto n = MemoryClass::nvdimm;
  for (const Case& c :
       {Case{"dram", {{d, 0}, {d, 8 * kMiB - 64}, {d, 0}, {d, 64}}, 3},
        Case{"nvdimm", {{n, 0}, {n, 24 * kMiB - 64}, {n, 16 * kMiB}, {n, 16 * kMiB + 64}}, 1},
        Case{"system", {{d, 0}, {n, 8 * kMiB - 64}, {d, 0}, {n, 64}}, 1}}) {
    Bench bench = trace_bench(trace, {{"target", c.target}});
    bench.dram = Bytes(16 * kMiB);
    bench.nvdimm = Bytes(32 * kMiB);
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    ASSERT_EQ(test.port.log.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(test.port.log[i].memory, c.wanted[i].first) << c.target << i;
      EXPECT_EQ(test.port.log[i].address, c.wanted[i].second) << c.target << i;
    }
    EXPECT_EQ(test.agent->address_wraps(), c.wraps) << c.target;
  }
}

TEST(MemoryTrace, LimitsAndStartsOver) {
  AgentUnderTest test(trace_bench(hundred(), {{"requests", "7"}, {"mode", "timed"}}));
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.port.log.size(), 7u);
  const Tick first = test.kernel.now();
  test.kernel.run_until(first + kMicrosecond);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 7);
  EXPECT_GT(test.port.log.size(), 14u);
  EXPECT_EQ(test.port.log[8].time - test.port.log[7].time, Tick(12'500));
}

TEST(MemoryTrace, ChecksItsKeys) {
  EXPECT_THROW(
      AgentUnderTest{trace_bench("40 R\n", {{"format", "ramulator_rw"}, {"mode", "timed"}})},
      InputError);
  EXPECT_THROW(AgentUnderTest{trace_bench(hundred(), {{"frequency", "1Hz"}})}, InputError);
  EXPECT_THROW(AgentUnderTest{trace_bench("40 READ 18446744073709551615\n", {{"mode", "timed"}})},
               InputError);
  Bench bench = trace_bench(hundred(), {{"target", "nvdimm"}});
  bench.nvdimm = Bytes(0);
  EXPECT_THROW(AgentUnderTest{bench}, InputError);
}

TEST(Synthetic, PatternsStayInTheirFootprint) {
  for (const char* pattern : {"sequential", "random", "strided"}) {
    AgentUnderTest test(synthetic_bench({{"target", "dram"},
                                         {"pattern", pattern},
                                         {"footprint", "64KiB"},
                                         {"offset", "1MiB"},
                                         {"stride", "256B"},
                                         {"requests", "4096"}}));
    ASSERT_TRUE(test.finish());
    ASSERT_EQ(test.port.log.size(), 4096u);
    std::set<std::int64_t> lines;
    for (const Sent& sent : test.port.log) {
      EXPECT_GE(sent.address, kMiB);
      EXPECT_LT(sent.address, kMiB + 65'536);
      EXPECT_EQ(sent.address % 64, 0);
      lines.insert(sent.address);
    }
    EXPECT_GT(lines.size(), 1'000u) << pattern;  // nearly all of 1024
  }
  AgentUnderTest strided(synthetic_bench(
      keys_from("target=dram pattern=strided footprint=1KiB stride=256B requests=9")));
  ASSERT_TRUE(strided.finish());
  const std::vector<std::int64_t> wanted{0, 256, 512, 768, 64, 320, 576, 832, 128};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(strided.port.log[i].address, wanted[i]);
  }
}

TEST(Synthetic, KeepsItsShareOfReads) {
  for (const double ratio : {0.0, 0.67, 1.0}) {
    AgentUnderTest test(synthetic_bench(
        {{"target", "nvdimm"}, {"read_ratio", std::to_string(ratio)}, {"requests", "20000"}}));
    ASSERT_TRUE(test.finish());
    double reads = 0;
    for (const Sent& sent : test.port.log) {
      reads += sent.write ? 0 : 1;
    }
    EXPECT_NEAR(reads / 20'000, ratio, ratio == 0.67 ? 0.01 : 0);
  }
}

TEST(Synthetic, ClosedLoopKeepsItsDepthOutstanding) {
  AgentUnderTest test(
      synthetic_bench({{"target", "dram"}, {"outstanding", "5"}, {"requests", "100"}}));
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.kernel.now(), 20 * 100 * kNanosecond);
}

// 20 rounds of five requests, of 100 ns in memory each.
TEST(Synthetic, ItsLatencyIsTimeInFlight) {
  for (const std::int64_t latency : {0, 1, 400}) {
    AgentUnderTest test(synthetic_bench({{"target", "dram"},
                                         {"outstanding", "5"},
                                         {"requests", "100"},
                                         {"latency", std::to_string(latency) + "ns"}}));
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.kernel.now(), 20 * (100 + latency) * kNanosecond);
  }
}

TEST(Synthetic, OpenLoopSendsAtItsIntervals) {
  AgentUnderTest test(
      synthetic_bench({{"target", "dram"}, {"interval", "30ns"}, {"requests", "50"}}));
  ASSERT_TRUE(test.finish());
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(test.port.log[static_cast<std::size_t>(i)].time, i * 30 * kNanosecond);
  }
}

TEST(Synthetic, TheSeedAndTheFootprintMatter) {
  EXPECT_THROW(AgentUnderTest{synthetic_bench({{"footprint", "3GiB"}, {"target", "dram"}})},
               InputError);
  EXPECT_THROW(AgentUnderTest{synthetic_bench({{"pattern", "strided"}, {"stride", "65B"}})},
               InputError);
  EXPECT_THROW(AgentUnderTest{synthetic_bench({{"interval", "2s"}})}, InputError);
}

}  // namespace
}  // namespace hmsim::testing
