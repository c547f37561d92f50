// SPDX-License-Identifier: BSD-3-Clause
// PAR-BS against the test vector of its specification: which requests are marked, and their order.
#include <gtest/gtest.h>

#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

// The first request forms a batch by itself. The others arrive during that batch, and the batch
// under test is formed when the first one is issued. Sources A, B, C are cores 0, 1, 2.
struct Loads {
  explicit Loads(const Assignments& assignments = {})
      : queue("par_bs", assignments, kShape), first(queue.enqueue(dram(3, 7, 0))) {
    add(0, 0, 6);
    for (int bank = 0; bank < 3; ++bank) {
      add(1, bank, 2);
    }
    add(2, 0, 1);
    add(2, 1, 1);
    queue.issue(first, false);
  }
  void add(std::uint16_t core, int bank, int count) {
    for (int i = 0; i < count; ++i) {
      queue.enqueue(dram(core, bank, 100 * core + i));
    }
  }
  Rehearsal queue;
  std::uint32_t first;
};

TEST(ParBs, LightSourcesFirstAndTheSixthRequestToABankWaits) {
  // C (13, 14), then B (7 .. 12), then A (1 .. 5); the sixth of A (6) is not in the batch.
  EXPECT_EQ(Loads().queue.order(), (Numbers{13, 14, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6}));
}

TEST(ParBs, EqualMaximumLoadsAreTakenByTotal) {
  Rehearsal queue("par_bs", {}, kShape);
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  queue.enqueue(dram(0, 0, 1));
  queue.enqueue(dram(0, 1, 1));
  queue.enqueue(dram(1, 0, 2));
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), (Numbers{3, 1, 2}));
}

TEST(ParBs, RowHitsGoBeforeRankWithinABatchAndBatchesBeforeRowHits) {
  Loads loads;
  RequestView hit = dram(0, 3, 5);
  hit.row_hit = true;
  const std::uint32_t late = loads.queue.enqueue(hit);
  EXPECT_EQ(loads.queue.order()[13], late);  // only the other unmarked request ranks lower
  Rehearsal queue("par_bs", {}, kShape);
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  queue.enqueue(dram(1, 2, 5));
  const std::uint32_t heavy = queue.enqueue(hit);
  queue.enqueue(dram(0, 3, 5));
  queue.issue(first, false);
  EXPECT_EQ(queue.order().front(), heavy);
}

TEST(ParBs, TheNextBatchWaitsForTheLastRequestOfThisOne) {
  Loads loads;
  const std::uint32_t late = loads.queue.enqueue(dram(0, 5, 9));
  for (const std::uint32_t number : Numbers{13, 14, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4}) {
    loads.queue.issue(number, false);
    EXPECT_EQ(loads.queue.order().back(), late);
  }
  loads.queue.issue(5, false);  // the batch is over: 6 and the late one form the next
  EXPECT_EQ(loads.queue.order(), (Numbers{6, late}));
}

TEST(ParBs, WritesAreMarkedUnlessOnlyReadsAre) {
  for (const bool reads : {false, true}) {
    Rehearsal queue("par_bs", {{"policies.par_bs.marks", reads ? "reads" : "all"}}, kShape);
    const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
    RequestView write = dram(0, 0, 1);
    write.write = true;
    queue.enqueue(write);
    queue.enqueue(dram(1, 0, 2));
    queue.issue(first, false);
    EXPECT_EQ(queue.order(), reads ? (Numbers{2, 1}) : (Numbers{1, 2}));
  }
}

// A batch ranks sources. These ranks also order requests outside the batch. Writes that may not be
// marked go in order of arrival.
TEST(ParBs, RequestsOutsideABatchFollowItsRanks) {
  for (const bool reads : {false, true}) {
    Loads loads(Assignments{{"policies.par_bs.marks", reads ? "reads" : "all"}});
    const std::uint32_t heavy = loads.queue.enqueue(dram(0, 5, 1));
    const std::uint32_t light = loads.queue.enqueue(dram(2, 5, 2));
    EXPECT_GT(loads.queue.key(light), loads.queue.key(heavy));
    const std::uint32_t heavy_write = loads.queue.enqueue(dram(0, 5, 1, true));
    const std::uint32_t light_write = loads.queue.enqueue(dram(2, 5, 2, true));
    EXPECT_EQ(loads.queue.key(light_write) > loads.queue.key(heavy_write), !reads);
    EXPECT_EQ(loads.queue.key(light_write) == loads.queue.key(heavy_write), reads);
  }
}

}  // namespace
}  // namespace hmsim::testing
