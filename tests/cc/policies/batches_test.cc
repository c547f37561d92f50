// SPDX-License-Identifier: BSD-3-Clause
// When is a batch complete, and what does its group hold?
#include "policies/monitors/batches.h"

#include <gtest/gtest.h>

#include "tests/cc/policies/rig.h"

namespace hmsim {
namespace {

using testing::dram_line;

// Batches take up to four requests, and are complete when they are 100 cycles old.
class OneBatch : public ::testing::Test {
 protected:
  static constexpr Tick kAge = 100 * testing::kCycle;

  OneBatch() {
    ChannelShape shape;
    shape.ranks = 1;
    shape.banks_per_rank = 8;
    shape.slots = 16;
    batches_.connect(shape, 4, kAge);
  }
  // A read of one row.
  RequestView join(std::uint32_t slot, Tick now) {
    const RequestView read = dram_line(slot, 0, slot);
    batches_.join(read, 0, false, now);
    return read;
  }
  Batch& only(Tick now) {
    EXPECT_EQ(batches_.list(false, now).size(), 1u);
    return *batches_.list(false, now).front();
  }

  Batches batches_;
};

TEST_F(OneBatch, AreCompleteAsSoonAsTheyHaveTheirAge) {
  const Tick began = 7 * testing::kCycle;
  join(0, began);
  EXPECT_FALSE(only(began + kAge - Tick(1)).complete);
  EXPECT_TRUE(only(began + kAge).complete);
}

TEST_F(OneBatch, AreCompleteAtAnyAgeOnceTheyTakeNoMore) {
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    EXPECT_TRUE(slot == 0 || !only(Tick(0)).complete);
    join(slot, Tick(0));
  }
  EXPECT_TRUE(only(Tick(0)).complete);
}

TEST_F(OneBatch, AGroupHoldsItsRequestsUntilTheyLeaveOrItIsDissolved) {
  const RequestView first = join(0, Tick(0));
  join(1, Tick(0));
  join(2, Tick(0));
  EXPECT_EQ(batches_.in_group(), 0);
  batches_.add_to_group(only(Tick(0)));
  EXPECT_EQ(batches_.in_group(), 3);
  batches_.leave(first);
  EXPECT_EQ(batches_.in_group(), 2);
  batches_.dissolve_group();
  EXPECT_EQ(batches_.in_group(), 0);
  EXPECT_EQ(batches_.count(false), 2) << "they still wait";
  batches_.add_to_group(only(Tick(0)));
  EXPECT_EQ(batches_.in_group(), 2);
}

}  // namespace
}  // namespace hmsim
