// SPDX-License-Identifier: BSD-3-Clause
// Short times are counted separately. Does the folded histogram hide this?
#include "controller/accounts/short_times.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/random.h"
#include "tests/cc/same_histogram.h"

namespace hmsim {
namespace {

TEST(ShortTimes, OnlyShortOnesAreCounted) {
  ShortTimes times;
  EXPECT_TRUE(times.add(Tick(0)));
  EXPECT_TRUE(times.add(Tick(ShortTimes::kEnd - 1)));
  EXPECT_FALSE(times.add(Tick(ShortTimes::kEnd)));
  Histogram histogram;
  times.fold(histogram);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.max(), ShortTimes::kEnd - 1);
}

TEST(ShortTimes, AreFoldedOnce) {
  ShortTimes times;
  times.add(Tick(625));
  Histogram histogram;
  times.fold(histogram);
  times.fold(histogram);
  EXPECT_EQ(histogram.count(), 1u);
  times.add(Tick(625));
  times.reset();
  times.fold(histogram);
  EXPECT_EQ(histogram.count(), 1u);
}

TEST(ShortTimes, DoNotCountNegativeTimes) {
  ShortTimes times;
  EXPECT_FALSE(times.add(Tick(-1)));
  EXPECT_FALSE(times.add(Tick(-(std::int64_t{1} << 46))));
  Histogram histogram;
  times.fold(histogram);
  EXPECT_EQ(histogram.count(), 0u);
}

TEST(ShortTimes, AddUpToWhatAPlainHistogramHolds) {
  Random random(4);
  ShortTimes times;
  Histogram folded;
  Histogram plain;
  for (int i = 0; i < 10'000; ++i) {
    const auto time = static_cast<std::int64_t>(random.below(3'000));
    if (!times.add(Tick(time))) {
      folded.add(time);
    }
    plain.add(time);
  }
  times.fold(folded);
  testing::expect_same(folded, plain);
}

}  // namespace
}  // namespace hmsim
