// SPDX-License-Identifier: BSD-3-Clause
// FIRM's bookkeeping of batches: when writes are due, how long a group lasts, which sources stream,
// and the batch of a saved request.
#include <gtest/gtest.h>

#include "core/archive.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

// The mark is 12 of 24 entries; groups are too short for a turn to pay off.
TEST(Firm, WritesAreServedFromTheirMarkOn) {
  const auto direction = [](int writes) {
    ChannelShape shape = kShape;
    shape.dram_slots = 24;
    Rehearsal queue("firm",
                    {{"policies.firm.turnaround_share", "1"}, {"policies.firm.write_mark", "50"}},
                    shape);
    const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
    queue.enqueue(dram(0, 6, 0));
    for (int i = 0; i < writes; ++i) {
      queue.enqueue(dram(0, 0, 0, true));
    }
    queue.issue(first, false);
    return queue.policy().direction();
  };
  EXPECT_EQ(direction(11), Direction::reads);
  EXPECT_EQ(direction(12), Direction::writes);
}

TEST(Firm, ReadsHaveTheBusBeforeTheFirstRequest) {
  EXPECT_EQ(Rehearsal("firm", {}, kShape).policy().direction(), Direction::reads);
}

// Writes keep the bus while no other request arrives.
TEST(Firm, WritesKeepTheBusAfterTheLastWrite) {
  Rehearsal queue("firm", {{"policies.firm.batch_age", "1ns"}}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 1, 3, true));
  queue.run_to(kMicrosecond);
  const std::uint32_t last = queue.enqueue(dram(0, 2, 3, true));
  ASSERT_EQ(queue.policy().direction(), Direction::writes);
  queue.issue(first, false);
  queue.issue(last, false);
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
  queue.enqueue(dram(0, 1, 4));
  EXPECT_EQ(queue.policy().direction(), Direction::reads);
}

// A read that arrived after the group was formed is in no group until the group ends, which is
// checked when the next request joins.
TEST(Firm, AGroupEndsWhenItIsOlderThanABatchMayBe) {
  const auto regrouped = [](Tick age) {
    Rehearsal queue("firm", {}, kShape);
    queue.run_to(700 * kNanosecond);
    queue.enqueue(dram(0, 0, 1));
    const std::uint32_t late = queue.enqueue(dram(0, 1, 1));
    const std::uint64_t apart = queue.key(late);
    queue.run_to(700 * kNanosecond + age);
    queue.enqueue(dram(0, 2, 1));
    return queue.key(late) != apart;
  };
  EXPECT_FALSE(regrouped(2'500 * kNanosecond));
  EXPECT_TRUE(regrouped(2'500 * kNanosecond + Tick(1)));
}

// All three hit the same row repeatedly. Core 1 waits for one bank at a time, core 2 for eight, and
// core 0 for four, which is the median. Core 0 therefore streams, like core 1, whose first batch is
// complete and goes before core 0's.
TEST(Firm, EverySourceCountsForTheMedianOfParallelism) {
  Rehearsal queue("firm", {}, kShape);
  std::vector<std::uint32_t> waiting;
  const int banks[] = {4, 1, 8};
  for (std::uint16_t core = 0; core < 3; ++core) {
    for (int bank = 0; bank < banks[core]; ++bank) {
      waiting.push_back(queue.enqueue(dram(core, bank, 0)));
      for (int i = 0; i < 4; ++i) {
        queue.issue(queue.enqueue(dram(core, bank, 0)), true);
      }
    }
  }
  queue.run_to(250 * kMicrosecond);
  for (const std::uint32_t number : waiting) {
    queue.issue(number, true);
  }
  queue.run_to(500 * kMicrosecond);
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  const std::uint32_t median = queue.enqueue(dram(0, 0, 0));
  const std::uint32_t complete = queue.enqueue(dram(1, 0, 0));
  const std::uint32_t open = queue.enqueue(dram(1, 0, 1));
  const std::uint32_t parallel = queue.enqueue(dram(2, 0, 0));
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), (std::vector<std::uint32_t>{parallel, complete, median, open}));
}

// With one request per thousand instructions, equal to the threshold, a source is intensive, like
// the other one, which arrived first.
TEST(Firm, SourcesAreIntensiveFromTheThresholdOn) {
  for (const std::int64_t instructions : {2'000, 2'001}) {
    Rehearsal queue("firm", {}, kShape);
    for (const std::uint16_t core : {std::uint16_t{0}, std::uint16_t{1}}) {
      queue.issue(queue.enqueue(dram(core, 0, 0)), false);
      queue.issue(queue.enqueue(dram(core, 0, 1)), false);
    }
    queue.retire(0, instructions);
    queue.run_to(500 * kMicrosecond);
    const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
    const std::uint32_t intensive = queue.enqueue(dram(1, 0, 0));
    const std::uint32_t probe = queue.enqueue(dram(0, 0, 0));
    queue.issue(first, false);
    EXPECT_EQ(queue.order(), instructions == 2'000
                                 ? (std::vector<std::uint32_t>{intensive, probe})
                                 : (std::vector<std::uint32_t>{probe, intensive}));
  }
}

// A row hit does not even overtake the first request of an older batch.
TEST(Firm, ARowHitOvertakesNoBatchOfItsGroup) {
  Rehearsal queue(
      "firm", {{"policies.firm.turnaround_share", "1"}, {"policies.firm.write_mark", "1"}}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  RequestView hit = dram(0, 0, 1, true);
  hit.row_hit = true;
  std::vector<std::uint32_t> others;
  std::vector<std::uint32_t> expected;
  for (int i = 0; i < 3; ++i) {
    hit.row = i;
    others.push_back(queue.enqueue(hit));
  }
  for (int i = 0; i < 3; ++i) {
    expected.push_back(queue.enqueue(nvdimm(0, 0, i, true)));
    queue.ack(expected.back());
    expected.push_back(others[static_cast<std::size_t>(i)]);
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), expected);
}

}  // namespace
}  // namespace hmsim::testing
