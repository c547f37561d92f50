// SPDX-License-Identifier: BSD-3-Clause
// Are saved times of a channel refused that are none?
#include "controller/channel/edge_clock.h"

#include <gtest/gtest.h>

#include "core/errors.h"

namespace hmsim::testing {
namespace {

constexpr Tick kPeriod{1250};

// Whether a clock takes this edge, its time, and the next edge; it keeps what it takes.
bool takes(Cycle edge, Tick now, Cycle next) {
  Archive told;
  told(edge, now, next);
  Archive loading(told.bytes());
  EdgeClock clock(kPeriod);
  try {
    clock.serialize(loading);
  } catch (const InputError&) {
    return false;
  }
  EXPECT_EQ(clock.edge(), edge);
  EXPECT_EQ(clock.now(), now);
  EXPECT_EQ(clock.next(), next);
  EXPECT_EQ(clock.next_time(), next == kNeverCycle ? kNever : next.value() * kPeriod);
  return true;
}

TEST(EdgeClock, TakesTimesThatFollowOneAnother) {
  EXPECT_TRUE(takes(Cycle(-1), Tick(0), Cycle(0)));  // before the first edge
  EXPECT_TRUE(takes(Cycle(7), 7 * kPeriod, Cycle(8)));
  EXPECT_TRUE(takes(Cycle(7), 7 * kPeriod, kNeverCycle));
  EXPECT_FALSE(takes(Cycle(-2), Tick(0), Cycle(0)));
  EXPECT_FALSE(takes(Cycle(7), 7 * kPeriod, Cycle(7)));
  EXPECT_FALSE(takes(Cycle(7), Tick(-1), Cycle(8)));
  EXPECT_FALSE(takes(Cycle(7), kNever, Cycle(8)));
  EXPECT_FALSE(takes(kNeverCycle, Tick(0), kNeverCycle));
}

}  // namespace
}  // namespace hmsim::testing
