// SPDX-License-Identifier: BSD-3-Clause
// Do generated misses have exactly the requested rates, and the right addresses?
#include <gtest/gtest.h>

#include <set>

#include "agents/core/agent_synthetic_core.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

TEST(SyntheticMisses, RatesAreExactAtEveryInstruction) {
  for (const auto& [reads, writes] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{40'580, 15'420},
                                                          {1'820, 1'440},
                                                          {1'000'000, 1},
                                                          {0, 7},
                                                          {333, 0},
                                                          {500'000, 1'000'000}}) {
    SyntheticMisses::Settings settings;
    settings.reads = reads;
    settings.writes = writes;
    settings.lines = 1'000;
    SyntheticMisses misses(settings);
    std::int64_t at = 0;
    std::int64_t seen_reads = 0;
    std::int64_t seen_writes = 0;
    Miss miss;
    for (int i = 0; i < 20'000; ++i) {
      ASSERT_TRUE(misses.next(miss));
      ASSERT_GE(miss.gap, 1);
      // The counts are exact just before the record and again at it.
      ASSERT_EQ(seen_reads, (at + miss.gap - 1) * reads / 1'000'000);
      ASSERT_EQ(seen_writes, (at + miss.gap - 1) * writes / 1'000'000);
      at += miss.gap;
      seen_reads += miss.load ? 1 : 0;
      seen_writes += miss.write ? 1 : 0;
      ASSERT_EQ(seen_reads, at * reads / 1'000'000);
      ASSERT_EQ(seen_writes, at * writes / 1'000'000);
    }
  }
}

TEST(SyntheticMisses, PatternsVisitTheFootprint) {
  for (const MissPattern pattern :
       {MissPattern::pointer_chase, MissPattern::stream, MissPattern::random}) {
    SyntheticMisses::Settings settings;
    settings.reads = 100'000;
    settings.writes = 50'000;
    settings.pattern = pattern;
    settings.lines = 64;
    settings.dependence = std::uint64_t{1} << 31;
    SyntheticMisses misses(settings);
    std::set<std::uint64_t> lines;
    std::uint64_t last = 63 * 64;
    int dependent = 0;
    int loads = 0;
    Miss miss;
    for (int i = 0; i < 3'000; ++i) {
      misses.next(miss);
      if (!miss.load) {
        continue;
      }
      ++loads;
      lines.insert(miss.load_address);
      dependent += miss.dependent ? 1 : 0;
      if (pattern == MissPattern::stream) {
        EXPECT_EQ(miss.load_address, (last + 64) % (64 * 64));
        last = miss.load_address;
      }
    }
    EXPECT_EQ(lines.size(), 64u);
    EXPECT_EQ(*lines.rbegin(), 63u * 64);
    EXPECT_NEAR(dependent, pattern == MissPattern::pointer_chase ? loads / 2 : 0,
                pattern == MissPattern::pointer_chase ? 150 : 0);
  }
}

TEST(SyntheticCore, DependenceSlowsAPointerChase) {
  const auto time_of = [](const char* dependence) {
    AgentUnderTest test(Bench{"synthetic_core",
                              {{"rpki", "50"},
                               {"wpki", "0"},
                               {"pattern", "pointer_chase"},
                               {"instructions", "100000"},
                               {"dependence", dependence}}});
    EXPECT_TRUE(test.finish());
    return test.kernel.now();
  };
  // Fully dependent: 5000 loads of 100 ns in sequence, about one slot between two.
  const Tick serial = time_of("1");
  EXPECT_GE(serial, 5'000 * 100 * kNanosecond);
  EXPECT_LT(serial, 5'000 * 104 * kNanosecond);
  EXPECT_LT(time_of("0"), serial / 4);
  const Tick half = time_of("0.5");
  EXPECT_LT(half, serial);
  EXPECT_GT(half, time_of("0"));
}

TEST(SyntheticCore, RatesTooLowToSendAnythingAreRejected) {
  EXPECT_THROW(make_agent_of("synthetic_core", {{"rpki", "0"}, {"wpki", "0.0001"}}), InputError);
}

}  // namespace
}  // namespace hmsim::testing
