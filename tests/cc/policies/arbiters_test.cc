// SPDX-License-Identifier: BSD-3-Clause
// Which class do the simple arbiters give the bus?
#include <gtest/gtest.h>

#include "simulation/rigs/arbiter_rehearsal.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr auto kNvdimm = MemoryClass::nvdimm;

TEST(Arbiters, RoundRobinTakesTurnsFromDramOn) {
  ArbiterRehearsal test("round_robin", {});
  for (int contest = 0; contest < 4; ++contest) {
    // Waiting times and queue occupancy do not matter.
    EXPECT_EQ(test.choose(1, 100, Tick(9), Tick(0), Tick(10)), kDram);
    EXPECT_EQ(test.choose(100, 1, Tick(0), Tick(9), Tick(10)), kNvdimm);
  }
  test.choose(1, 1);
  ArbiterRehearsal loaded("round_robin", {});
  copy_state(test.arbiter(), loaded.arbiter());
  EXPECT_EQ(loaded.choose(1, 1), kNvdimm);
}

// Requests are numbered in order of arrival.
TEST(Arbiters, OldestFirstGoesByArrival) {
  const ArbiterRehearsal test("oldest_first", {});
  const auto choose = [&test](std::uint64_t dram, std::uint64_t nvdimm) {
    ArbiterView view{};
    view.dram = ArbiterRehearsal::view(kDram, 0);
    view.nvdimm = ArbiterRehearsal::view(kNvdimm, 1);
    view.dram.id = dram;
    view.nvdimm.id = nvdimm;
    return test.arbiter().choose(view);
  };
  EXPECT_EQ(choose(3, 4), kDram);
  EXPECT_EQ(choose(4, 3), kNvdimm);
}

// The larger key wins; ties go by arrival.
TEST(Arbiters, SchedulerOrderGoesByKeysThenByArrival) {
  const ArbiterRehearsal test("scheduler_order", {});
  for (const std::uint64_t dram_key : {5, 6, 7}) {
    for (const std::uint64_t dram_id : {2, 4}) {
      ArbiterView view{};
      view.dram.id = dram_id;
      view.nvdimm.id = 3;
      view.dram_key = dram_key;
      view.nvdimm_key = 6;
      const bool dram = dram_key == 6 ? dram_id < 3 : dram_key > 6;
      EXPECT_EQ(test.arbiter().choose(view), dram ? kDram : kNvdimm) << dram_key << dram_id;
    }
  }
}

TEST(Arbiters, DramFirstAlwaysChoosesDram) {
  ArbiterRehearsal test("dram_first", {});
  EXPECT_EQ(test.choose(1, 128, Tick(1'000'000), Tick(0), Tick(1'000'000)), kDram);
}

}  // namespace
}  // namespace hmsim::testing
