// SPDX-License-Identifier: BSD-3-Clause
// Short times are counted separately. Does the folded histogram hide this?
#include "controller/accounts/short_times.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/random.h"
#include "tests/cc/same_histogram.h"

namespace hmsim {
namespace {

TEST(ShortTimes, AddUpToAPlainHistogram) {
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
