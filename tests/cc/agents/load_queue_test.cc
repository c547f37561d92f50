// SPDX-License-Identifier: BSD-3-Clause
// Does a load wait exactly for the load that it depends on and for an MSHR?
#include "agents/core/load_queue.h"

#include <gtest/gtest.h>

namespace hmsim::testing {

namespace {

const RateClock kSlots(1'000'000);  // slots per millisecond: a slot is a nanosecond

Miss load(bool dependent) {
  Miss miss;
  miss.load = true;
  miss.dependent = dependent;
  return miss;
}

TEST(LoadQueue, ADependentLoadIsIssuedWhenTheOneBeforeHasItsData) {
  LoadQueue loads;
  loads.open(8, kWindowOnly);
  EXPECT_TRUE(loads.add(0, load(true), 5, kSlots)) << "no load comes before";
  EXPECT_FALSE(loads.add(1, load(true), 6, kSlots));
  EXPECT_TRUE(loads.add(2, load(false), 7, kSlots));
  EXPECT_EQ(loads.next_step(), kNever);

  EXPECT_TRUE(loads.arrived(0, 40, 40, kSlots));
  EXPECT_EQ(loads.next_step(), kSlots.tick(40));
  bool sent = false;
  EXPECT_EQ(loads.take_step(sent), 1u);
  EXPECT_TRUE(sent);
  EXPECT_FALSE(loads.arrived(2, 50, 50, kSlots)) << "no load waits for it";
}

TEST(LoadQueue, ADependentLoadWaitsForDataWhoseSlotIsKnown) {
  LoadQueue loads;
  loads.open(8, kWindowOnly);
  EXPECT_TRUE(loads.add(0, load(false), 5, kSlots));
  loads.arrived(0, 40, 30, kSlots);
  EXPECT_FALSE(loads.add(1, load(true), 39, kSlots));
  EXPECT_EQ(loads.next_step(), kSlots.tick(40));

  loads.arrived(1, 60, 60, kSlots);
  EXPECT_TRUE(loads.add(2, load(true), 60, kSlots)) << "the data are there";
  loads.restart();
  EXPECT_TRUE(loads.add(3, load(true), 0, kSlots)) << "no load of this pass comes before";
}

TEST(LoadQueue, MshrsAreGivenInOrder) {
  LoadQueue loads;
  loads.open(8, 1);
  EXPECT_TRUE(loads.issue(3));
  EXPECT_FALSE(loads.issue(5));
  EXPECT_FALSE(loads.issue(4));
  for (const std::uint32_t next : {5u, 4u}) {
    loads.arrived(3, 20, 10, kSlots);
    EXPECT_EQ(loads.next_step(), kSlots.tick(10)) << "the MSHR is free before the data are there";
    bool sent = false;
    EXPECT_EQ(loads.take_step(sent), next);
    EXPECT_TRUE(sent);
  }
  EXPECT_FALSE(loads.issue(6)) << "the last of them still has it";
}

}  // namespace

}  // namespace hmsim::testing
