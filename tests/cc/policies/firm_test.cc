// SPDX-License-Identifier: BSD-3-Clause
// FIRM: how long groups are, what makes a batch, and who goes first.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cc/controller/harness.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

bool in_group(const Rehearsal& queue, std::uint32_t number) {
  return (queue.key(number) >> 61) != 0 && (queue.key(number) >> 61) != 4;
}

int group_size(const Rehearsal& queue) {
  const Numbers order = queue.order();
  return static_cast<int>(std::count_if(order.begin(), order.end(),
                                        [&](std::uint32_t n) { return in_group(queue, n); }));
}

// As many reads as writes, each a batch of one row miss of 13 cycles, all in one bank: the requests
// of the first group formed with all of them there.
int requests_of_a_group(std::int64_t trtrs, const Assignments& assignments = {}) {
  ChannelShape shape = Rehearsal::ddr3_1600(trtrs);
  shape.row_miss = shape.clock_period * 9;
  Rehearsal queue("firm", assignments, shape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  for (int row = 0; row < 20; ++row) {
    queue.enqueue(dram(0, 0, row));
    queue.enqueue(dram(0, 0, row, true));
  }
  EXPECT_EQ(group_size(queue), 1);
  queue.issue(first, false);
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
  return group_size(queue);
}

// Both groups alike: half of 130 cycles, or of 135, in batches of 13.
TEST(Firm, AReadAndAWriteGroupTakeAtLeast130Or135Cycles) {
  EXPECT_EQ(requests_of_a_group(1), 5);  // 65 cycles are enough
  EXPECT_EQ(requests_of_a_group(2), 6);  // 67.5 are not
  EXPECT_EQ(requests_of_a_group(1, {{"policies.firm.turnaround_share", "40"}}), 3);  // 32.5
  EXPECT_EQ(requests_of_a_group(1, {{"policies.firm.turnaround_share", "1"}}), 20);  // all there is
}

TEST(Firm, GroupsAreInProportionToWhatIsPending) {
  ChannelShape shape = kShape;
  shape.row_miss = shape.clock_period * 9;
  Rehearsal queue("firm", {}, shape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0, true));
  for (int row = 0; row < 40; ++row) {
    queue.enqueue(dram(0, 0, row, row % 4 != 0));
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.policy().direction(), Direction::reads);
  EXPECT_EQ(group_size(queue), 3);  // 130 x 10 / 40 = 32.5 cycles
  for (int i = 0; i < 3; ++i) {
    queue.issue(queue.order().front(), false);
  }
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
  EXPECT_EQ(group_size(queue), 9);  // 130 x 30 / 37 = 105.4 cycles of 13
}

TEST(Firm, OneKindAloneKeepsTheBus) {
  Rehearsal queue("firm", {}, kShape);
  for (int row = 0; row < 4; ++row) {
    queue.enqueue(dram(0, 0, row));
  }
  for (std::uint32_t number = 0; number < 4; ++number) {
    EXPECT_EQ(queue.policy().direction(), Direction::reads);
    queue.issue(number, false);
  }
}

TEST(Firm, RequestsToOneRowMakeABatchUpToTheCap) {
  // A batch of 16 hits and a miss of another row in the same bank: 22 + 64 cycles are more than 65.
  Rehearsal queue("firm", {}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0, true));
  for (int i = 0; i < 20; ++i) {
    queue.enqueue(dram(0, 0, 1));
  }
  for (int i = 0; i < 20; ++i) {
    queue.enqueue(dram(0, 1, i, true));
  }
  queue.issue(first, false);
  EXPECT_EQ(group_size(queue), 16);
}

TEST(Firm, PersistEpochsMakeBatchesOfTheirOwn) {
  for (const std::uint64_t second : {0U, 1U}) {
    Rehearsal queue("firm", {{"policies.firm.turnaround_share", "100"}}, kShape);
    const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
    for (const std::uint64_t epoch : {std::uint64_t{0}, second}) {
      RequestView write = nvdimm(0, 0, 3, true);
      write.epoch = epoch;
      queue.ack(queue.enqueue(write));
    }
    for (int row = 0; row < 40; ++row) {
      queue.enqueue(dram(0, 0, row));
    }
    queue.issue(first, false);
    EXPECT_EQ(group_size(queue), second == 0 ? 2 : 1);
  }
}

// After an interval: core 0 is not intensive, core 1 streams, core 2 is random; arrival the other
// way round.
TEST(Firm, NotIntensiveThenRandomThenStreamingSources) {
  Rehearsal queue("firm", {}, kShape);
  queue.issue(queue.enqueue(dram(0, 0, 0)), false);
  queue.retire(0, 1'000'000);
  Numbers waiting;
  for (int i = 0; i < 8; ++i) {
    queue.issue(queue.enqueue(dram(1, 0, 0)), false);
    waiting.push_back(queue.enqueue(dram(2, i, i)));
  }
  queue.run_to(500 * kMicrosecond);
  for (const std::uint32_t number : waiting) {
    queue.issue(number, false);
  }
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  const std::uint32_t streaming = queue.enqueue(dram(1, 0, 0));
  const std::uint32_t random = queue.enqueue(dram(2, 0, 0));
  const std::uint32_t light = queue.enqueue(dram(0, 0, 0));
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), (Numbers{light, random, streaming}));
}

TEST(Firm, PersistentAndOtherWriteBatchesAlternate) {
  Rehearsal queue("firm", {{"policies.firm.turnaround_share", "1"}}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  Numbers other;
  Numbers persistent;
  for (int i = 0; i < 3; ++i) {
    other.push_back(queue.enqueue(dram(0, 0, i, true)));
  }
  for (int i = 0; i < 3; ++i) {
    persistent.push_back(queue.enqueue(nvdimm(0, 0, i, true)));
    queue.ack(persistent.back());
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.order(),
            (Numbers{persistent[0], other[0], persistent[1], other[1], persistent[2], other[2]}));
}

// In a channel whose queue is always full of random reads and writes.
TEST(Firm, TurnsTheBusAroundLessOftenThanFrFcfs) {
  const auto turnarounds = [](const char* scheduler, const char* writes) {
    ChannelUnderTest channel({{"nvdimm.present", "false"},
                              {"controller.scheduler", scheduler},
                              {"controller.writes", writes}});
    Random random(1);
    int sent = 0;
    const auto send = [&](const Request& /*request*/) {
      if (sent++ < 4'000) {
        channel.send(MemoryClass::dram,
                     Address(static_cast<std::int64_t>(random.below(1 << 22)) * 64),
                     random.below(2) == 0);
      }
    };
    channel.on_done = send;
    for (int i = 0; i < 128; ++i) {
      send({});
    }
    channel.drain();
    EXPECT_EQ(channel.completions_.size(), 4'000U);
    return channel.channel_.statistics().turnarounds;
  };
  EXPECT_LT(turnarounds("firm", "drained") * 3, turnarounds("fr_fcfs", "mixed"));
}

}  // namespace
}  // namespace hmsim::testing
