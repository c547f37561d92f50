// SPDX-License-Identifier: BSD-3-Clause
// Latencies of whole cycles are counted separately. Does the histogram hide this?
#include "controller/accounts/latency_histogram.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "core/random.h"
#include "tests/cc/same_histogram.h"

namespace hmsim {
namespace {

constexpr std::int64_t kPeriods[] = {1, 2, 3, 625, 750, 833, 1072, 1250, 2500, 4096};

TEST(WholeCycles, AreTheQuotientOfAMultiple) {
  Random random(1);
  for (const std::int64_t period : kPeriods) {
    const WholeCycles clock{Tick(period)};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / period;
    for (int i = 0; i < 1000; ++i) {
      const auto cycles = static_cast<std::int64_t>(
          random.below(static_cast<std::uint64_t>(i % 2 == 0 ? 1000 : most)));
      EXPECT_EQ(clock.in(Tick(cycles * period)), static_cast<std::uint64_t>(cycles)) << period;
    }
  }
}

TEST(WholeCycles, ExceedAllQuotientsBetweenMultiples) {
  Random random(2);
  for (const std::int64_t period : kPeriods) {
    const WholeCycles clock{Tick(period)};
    const std::uint64_t least =
        std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(period);
    for (int i = 0; i < 1000; ++i) {
      const auto time = static_cast<std::int64_t>(
          random.below(i % 2 == 0 ? 1'000'000 : std::numeric_limits<std::int64_t>::max()));
      if (time % period != 0) {
        EXPECT_GT(clock.in(Tick(time)), least) << time << " / " << period;
      }
    }
  }
}

TEST(LatencyHistogram, MatchesAPlainHistogram) {
  Random random(3);
  for (const std::int64_t period : kPeriods) {
    const WholeCycles clock{Tick(period)};
    LatencyHistogram latencies;
    Histogram plain;
    for (int i = 0; i < 3000; ++i) {
      // Latencies of 512 cycles or more have no separate counter.
      const auto cycles = static_cast<std::int64_t>(random.below(1000));
      const auto time = static_cast<std::int64_t>(random.below(1'000'000));
      latencies.add(Cycle(cycles), clock);
      latencies.add(Tick(cycles * period), clock);
      latencies.add(Tick(time), clock);
      plain.add(cycles * period);
      plain.add(cycles * period);
      plain.add(time);
      if (i % 1000 == 0) {
        latencies.fold(clock.period());
      }
    }
    latencies.fold(clock.period());
    testing::expect_same(latencies.histogram(), plain);
  }
}

// Resets histograms that hold latencies with a separate counter (below 512 cycles) and without,
// folded or not.
TEST(LatencyHistogram, AfterAResetHoldsLaterLatenciesOnly) {
  const WholeCycles clock{Tick(625)};
  for (const bool folded : {false, true}) {
    LatencyHistogram latencies;
    for (const std::int64_t cycles : {0, 1, 511, 512, 100'000}) {
      latencies.add(Cycle(cycles), clock);
      latencies.add(Tick(cycles * 625 + 1), clock);
    }
    if (folded) {
      latencies.fold(clock.period());
    }
    latencies.reset();
    Histogram plain;
    testing::expect_same(latencies.histogram(), plain);
    latencies.fold(clock.period());
    testing::expect_same(latencies.histogram(), plain);
    for (const std::int64_t cycles : {3, 511, 700}) {
      latencies.add(Cycle(cycles), clock);
      plain.add(cycles * 625);
    }
    latencies.fold(clock.period());
    testing::expect_same(latencies.histogram(), plain);
  }
}

}  // namespace
}  // namespace hmsim
