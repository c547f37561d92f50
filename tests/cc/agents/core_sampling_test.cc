// SPDX-License-Identifier: BSD-3-Clause
// Sampling of a job's cores: when may they skip, and for how long?
#include "agents/node/core_sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kShort = 4'096;  // slots

SamplingKeys keys_of(std::int64_t period) {
  SamplingKeys keys;
  keys.period = period;
  keys.length = 10'000;
  keys.warmup = 5'000;
  return keys;
}

// Cores fetch steps of random lengths up to the longest, in the order of their ends. An instruction
// takes a slot, so a core reaches a window as early as it can.
TEST(CoreSampling, NoWindowBeginsDuringALongSkip) {
  for (const std::size_t cores : {1u, 3u, 8u}) {
    Random random(cores);
    CoreSampling sampling;
    sampling.open(keys_of(5'000'000), cores, 1'000, cores);
    struct Step {
      std::int64_t end = 0;
      std::int64_t length = 0;
    };
    std::vector<Step> steps(cores);
    bool skipped = false;
    std::int64_t longest = 0;
    int windows = 0;
    while (windows < 200) {
      const auto next = std::min_element(
          steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.end < b.end; });
      const std::int64_t now = next->end;
      const bool skips = sampling.skips();
      if (skipped && !skips) {
        ++windows;
        for (const Step& step : steps) {
          EXPECT_TRUE(step.end <= now || step.length <= kShort) << step.length;
        }
      }
      skipped = skips;
      const std::int64_t most = skips ? sampling.longest_skip() : 100;
      next->length =
          random.below(2) == 0
              ? most
              : 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)));
      next->end = now + next->length;
      longest = std::max(longest, next->length);
      sampling.fetched(next->length);
    }
    EXPECT_GT(longest, 10 * kShort);
  }
}

// Fetches instructions up to the next window, and adds a window in which loads wait as given.
void reach_window(CoreSampling& sampling, std::int64_t waits, std::int64_t loads) {
  while (sampling.measure() == CoreSampling::Measure::none) {
    sampling.fetched(1'000);
  }
  sampling.measured(sampling.measure(), waits, loads);
  while (sampling.measure() != CoreSampling::Measure::none) {
    sampling.fetched(1'000);
  }
}

TEST(CoreSampling, AJobThatAlwaysTransfersIsSampledButFor32nd) {
  CoreSampling sampling;
  sampling.open(keys_of(1'000'000), 1, 1'000, 2);
  sampling.fetched(5'000);
  reach_window(sampling, 100, 10);  // the pilot
  EXPECT_TRUE(sampling.begin_io());
  EXPECT_FALSE(sampling.begin_io());  // one is under way
  EXPECT_EQ(sampling.measure(), CoreSampling::Measure::burst);
  sampling.measured(CoreSampling::Measure::burst, 200, 10);
  sampling.fetched(2'000'000);  // a window began: the waits beside transfers are known
  std::int64_t whole = 2'000'000;
  std::int64_t all = 2'000'000;
  int bursts = 0;
  bool was_whole = true;
  for (; all < 400'000'000; all += 1'000) {
    const bool burst = sampling.measure() == CoreSampling::Measure::burst;
    bursts += burst && !was_whole ? 1 : 0;
    was_whole = burst;
    whole += burst ? 1'000 : 0;
    sampling.fetched(1'000);
  }
  EXPECT_LE(whole, all / 32 + 3'000'000 + 1'000);
  EXPECT_GE(whole, all / 32 - 1'000'000);
  EXPECT_GE(bursts, 10);
  EXPECT_LE(bursts, 15);
  sampling.set_io(false);
  EXPECT_NE(sampling.measure(), CoreSampling::Measure::burst);
}

// Windows take 15,000 of 1,000,000 instructions. Neyman's allocation takes all loads whose waits
// are at least 1,000,000 / 15,000 = 66.7 times as long.
TEST(CoreSampling, LongWaitsBesideTransfersAreAllSimulated) {
  for (const auto& [waits, whole] : {std::pair(6'600, false), std::pair(6'700, true)}) {
    CoreSampling sampling;
    sampling.open(keys_of(1'000'000), 1, 1'000, 2);
    sampling.fetched(5'000);
    reach_window(sampling, 1'000, 10);
    sampling.begin_io();
    sampling.measured(CoreSampling::Measure::burst, waits, 1);
    bool skipped = false;
    for (std::int64_t all = 0; all < 20'000'000; all += 1'000) {
      sampling.fetched(1'000);
      skipped = skipped || sampling.skips();
    }
    EXPECT_NE(skipped, whole) << waits;
  }
}

TEST(CoreSampling, CoresStopSkippingWhenTransfersBeginAndEnd) {
  CoreSampling sampling;
  sampling.open(keys_of(1'000'000), 1, 1'000, 2);
  EXPECT_FALSE(sampling.set_io(false));
  sampling.fetched(5'000);
  reach_window(sampling, 100, 10);
  EXPECT_TRUE(sampling.skips());
  EXPECT_TRUE(sampling.begin_io());
  EXPECT_EQ(sampling.io_count(), 1u);
  EXPECT_FALSE(sampling.set_io(true));
  EXPECT_TRUE(sampling.set_io(false));
}

}  // namespace
}  // namespace hmsim::testing
