// SPDX-License-Identifier: BSD-3-Clause
// Ratio of waits to loads: values by hand.
#include "agents/node/wait_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace hmsim::testing {
namespace {

TEST(WaitRatio, ThreeWindowsByHand) {
  WaitRatio ratio;
  EXPECT_FALSE(ratio.known());
  EXPECT_EQ(ratio.ratio(), 0);
  for (const auto& [waits, loads] : {std::pair(30, 10), std::pair(10, 10), std::pair(80, 20)}) {
    ratio.add(waits / 2, loads / 2);
    ratio.add(waits / 2, loads / 2);
    ratio.close_window();
  }
  ratio.close_window();  // without loads: no part of the sample
  EXPECT_TRUE(ratio.known());
  EXPECT_DOUBLE_EQ(ratio.ratio(), 3.0);  // 120 / 40
  // Residuals 0, -20 and 20: sqrt(800 / 2 * 3) / 40.
  EXPECT_DOUBLE_EQ(ratio.standard_error(), std::sqrt(1'200.0) / 40);
  EXPECT_EQ(ratio.rate().waits_of(1'000), 3'000);
}

TEST(WaitRatio, APilotHoldsUntilTheFirstWindow) {
  WaitRatio ratio;
  ratio.add_to_pilot(50, 10);
  ratio.add(10, 10);
  ratio.close_pilot();
  EXPECT_DOUBLE_EQ(ratio.ratio(), 3.0);
  EXPECT_DOUBLE_EQ(ratio.standard_error(), 3.0);  // too few windows: the whole ratio
  ratio.add(-5, 1);                               // negative waits are none
  ratio.add(8, 1);
  EXPECT_TRUE(ratio.has_loads());
  ratio.close_window();
  EXPECT_FALSE(ratio.has_loads());
  EXPECT_DOUBLE_EQ(ratio.ratio(), 4.0);
}

}  // namespace
}  // namespace hmsim::testing
