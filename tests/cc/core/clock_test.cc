// SPDX-License-Identifier: BSD-3-Clause
// Does a clock round the times of its edges up, and return each edge from its time?
#include "core/clock.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/errors.h"

namespace hmsim {
namespace {

TEST(RateClock, EdgesAreRoundedUpAndFoundAgain) {
  const RateClock even(8'000'000);
  EXPECT_EQ(even.tick(8).value(), 1'000);
  EXPECT_EQ(even.edge_at_or_after(Tick(1)), 1);
  EXPECT_EQ(even.edge_at_or_after(Tick(125)), 1);
  EXPECT_EQ(even.edge_at_or_after(Tick(126)), 2);
  const RateClock thirds(3'000'000);
  EXPECT_EQ(thirds.tick(1).value(), 334);
  EXPECT_EQ(thirds.tick(3).value(), 1'000);
  for (const std::int64_t edge : {0LL, 1LL, 2LL, 3LL, 1'000'000'007LL}) {
    EXPECT_EQ(thirds.edge_at_or_after(thirds.tick(edge)), edge);
    EXPECT_EQ(thirds.edge_at_or_after(thirds.tick(edge) + Tick(1)), edge + 1);
  }
  EXPECT_THROW(even.tick(even.last_edge() + 1), InputError);
}

}  // namespace
}  // namespace hmsim
