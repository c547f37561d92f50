// SPDX-License-Identifier: BSD-3-Clause
// When is a batch complete, and which requests does its group hold?
#include "policies/monitors/batches.h"

#include <gtest/gtest.h>

#include "tests/cc/policies/rig.h"

namespace hmsim {
namespace {

using testing::dram_line;

// Batches take up to four requests and are complete at an age of 100 cycles.
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
  // Adds a read of one row.
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

TEST_F(OneBatch, AreCompleteAtTheirAge) {
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

// The first of a group goes before the second, and both before requests in no group.
TEST_F(OneBatch, PlacesOfEveryGroupBeginWithTheFirst) {
  const auto join_row = [&](std::uint32_t slot) {
    batches_.join(dram_line(1024 * slot, 0, slot), 0, false, Tick(0));
  };
  join_row(0);
  join_row(1);
  join_row(2);
  for (int group = 0; group < 3; ++group) {
    batches_.dissolve_group();
    const std::vector<Batch*> all = batches_.list(false, Tick(0));
    ASSERT_EQ(all.size(), 3u);
    batches_.add_to_group(*all[2]);
    batches_.add_to_group(*all[0]);
    EXPECT_EQ(all[2]->group, 1u);
    EXPECT_EQ(all[0]->group, 2u);
    EXPECT_EQ(all[1]->group, 0u);
    batches_.changed_priorities(false);
    EXPECT_GT(batches_.priority(2), batches_.priority(0));
    EXPECT_GT(batches_.priority(0), batches_.priority(1));
  }
  EXPECT_TRUE(batches_.changed_priorities(false).empty()) << "each has its place again";
}

// An NVDIMM request goes last while its direction does not have the turn; DRAM has a queue for each
// direction.
TEST_F(OneBatch, ARequestToTheNvdimmWaitsForTheTurnOfItsDirection) {
  const auto join_one = [&](std::uint32_t slot, bool nvdimm, bool write) {
    RequestView request = dram_line(1024 * slot, 0, slot);
    request.memory = nvdimm ? MemoryClass::nvdimm : MemoryClass::dram;
    request.write = write;
    batches_.forget(slot);
    const std::uint64_t before = batches_.priority(slot);
    batches_.join(request, slot, false, Tick(0));
    return batches_.priority(slot) == before;
  };
  EXPECT_TRUE(join_one(0, false, false));
  EXPECT_TRUE(join_one(1, false, true));
  EXPECT_TRUE(join_one(2, true, false));
  EXPECT_FALSE(join_one(3, true, true));
  EXPECT_EQ(batches_.priority(0), batches_.priority(1));
  EXPECT_EQ(batches_.priority(0), batches_.priority(2));
  EXPECT_GT(batches_.priority(0), batches_.priority(3));
  EXPECT_EQ(batches_.changed_priorities(true), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(batches_.priority(1), batches_.priority(3));
  EXPECT_GT(batches_.priority(1), batches_.priority(2));
}

}  // namespace
}  // namespace hmsim
