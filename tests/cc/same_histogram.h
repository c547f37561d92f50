// SPDX-License-Identifier: BSD-3-Clause
// Compares two histograms through their public results.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "core/statistics.h"

namespace hmsim::testing {

inline void expect_same(const Histogram& one, const Histogram& other) {
  EXPECT_EQ(one.count(), other.count());
  EXPECT_EQ(one.sum(), other.sum());
  EXPECT_EQ(one.max(), other.max());
  for (std::uint64_t percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(one.quantile(percent, 100), other.quantile(percent, 100)) << percent;
  }
}

}  // namespace hmsim::testing
