// SPDX-License-Identifier: BSD-3-Clause
// Sampling of a job's cores: when may they skip, and for how long?
#include "agents/node/core_sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(CoreSampling, AJobThatAlwaysTransfersIsSampledButFor32nd) {
  CoreSampling sampling;
  sampling.open(keys_of(1'000'000'000), 1, 1'000, 2);
  sampling.fetched(40'000);  // past the pilot
  EXPECT_TRUE(sampling.begin_io());
  EXPECT_FALSE(sampling.begin_io());  // one is under way
  std::int64_t whole = 0;
  std::int64_t all = 40'000;
  int bursts = 0;
  bool skipped = true;
  for (; all < 400'000'000; all += 1'000) {
    bursts += skipped && !sampling.skips() ? 1 : 0;
    skipped = sampling.skips();
    whole += skipped ? 0 : 1'000;
    sampling.fetched(1'000);
  }
  EXPECT_LE(whole, all / 32 + 1'000'000 + 1'000);
  EXPECT_GE(whole, all / 32 - 1'000'000);
  EXPECT_GE(bursts, 10);
  EXPECT_LE(bursts, 15);
  sampling.set_io(false);
  EXPECT_TRUE(sampling.skips() || sampling.measures());
}

}  // namespace
}  // namespace hmsim::testing
