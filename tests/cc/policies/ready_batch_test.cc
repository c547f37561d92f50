// SPDX-License-Identifier: BSD-3-Clause
// When do ready lines of the NVDIMM form a batch, and how long does it last?
#include <gtest/gtest.h>

#include "tests/cc/policies/rig.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

using testing::kCycle;
using testing::view_of;

constexpr auto kDram = MemoryClass::dram;
constexpr auto kNvdimm = MemoryClass::nvdimm;

class ReadyBatch : public ::testing::Test {
 protected:
  void ready(int lines, Tick now = Tick(0)) {
    for (int i = 0; i < lines; ++i) {
      test_.arbiter().on_ack(view_of(kNvdimm, 1), now);
    }
  }
  void pass(MemoryClass memory, int commands, Tick now = Tick(0)) {
    for (int i = 0; i < commands; ++i) {
      test_.arbiter().on_issue(view_of(memory, 0), now);
    }
  }
  MemoryClass choose(Tick now = Tick(0)) { return test_.choose(1, 1, {}, {}, now); }

  ArbiterRehearsal test_{
      "ready_batch",
      {{"policies.ready_batch.batch", "4"}, {"policies.ready_batch.patience", "100"}}};
};

TEST_F(ReadyBatch, BeginsWhenEnoughLinesAreReady) {
  ready(3);
  EXPECT_EQ(choose(), kDram);
  ready(1);
  EXPECT_EQ(choose(), kNvdimm);
}

TEST_F(ReadyBatch, TakesSixteenLinesOr2000CyclesByDefault) {
  for (const int lines : {1, 15, 16}) {
    ArbiterRehearsal test("ready_batch", {});
    for (int i = 0; i < lines; ++i) {
      test.arbiter().on_ack(view_of(kNvdimm, 1), Tick(0));
    }
    EXPECT_EQ(test.choose(1, 1, {}, {}, 1999 * kCycle), lines == 16 ? kNvdimm : kDram);
    EXPECT_EQ(test.choose(1, 1, {}, {}, 2000 * kCycle), kNvdimm);
  }
}

// The saved state: the number of ready lines, what is left of the batch and of DRAM's commands, and
// the time since the last line.
TEST_F(ReadyBatch, ASavedStateContinues) {
  Tick now(0);
  for (int i = 0; i < 200; ++i) {
    now += (i % 7) * 11 * kCycle;
    ArbiterRehearsal loaded("ready_batch", {{"policies.ready_batch.batch", "4"},
                                            {"policies.ready_batch.patience", "100"}});
    testing::copy_state(test_.arbiter(), loaded.arbiter());
    for (int ahead = 0; ahead < 12; ++ahead) {
      const Tick then = now + ahead * 13 * kCycle;
      const MemoryClass chosen = loaded.choose(1, 1, {}, {}, then);
      ASSERT_EQ(chosen, choose(then)) << i;
      for (BusArbiter* const each : {&loaded.arbiter(), &test_.arbiter()}) {
        if ((i + ahead) % 3 != 0) {
          each->on_ack(view_of(kNvdimm, 1), then);
        }
        each->on_issue(view_of(chosen, 0), then);
      }
    }
    now += 150 * kCycle;
  }
}

TEST_F(ReadyBatch, EndsAfterItsLinesAndGivesDramEquallyManyCommands) {
  ready(20);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(choose(), kNvdimm);
    pass(kNvdimm, 1);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(choose(), kDram);
    pass(kDram, 1);
  }
  EXPECT_EQ(choose(), kNvdimm);
}

TEST_F(ReadyBatch, EndsWhenNothingIsReady) {
  ready(4);
  EXPECT_EQ(choose(), kNvdimm);
  pass(kNvdimm, 4);
  ready(9);
  EXPECT_EQ(choose(), kDram);
  pass(kDram, 4);
  EXPECT_EQ(choose(), kNvdimm);
  pass(kNvdimm, 2);
  EXPECT_EQ(choose(), kNvdimm) << "two more";
}

TEST_F(ReadyBatch, PatienceCountsFromTheLastLineOrTheFirstReadyOne) {
  ready(2, 50 * kCycle);
  EXPECT_EQ(choose(149 * kCycle), kDram);
  EXPECT_EQ(choose(150 * kCycle), kNvdimm);
  pass(kNvdimm, 1, 150 * kCycle);
  pass(kNvdimm, 1, 154 * kCycle);
  pass(kDram, 4, 160 * kCycle);
  ready(2, 200 * kCycle);
  pass(kNvdimm, 1, 260 * kCycle);  // uncontested
  EXPECT_EQ(choose(359 * kCycle), kDram);
  EXPECT_EQ(choose(360 * kCycle), kNvdimm);
}

TEST_F(ReadyBatch, CommandsOfDramLeaveLinesAndPatienceAlone) {
  ready(4);
  pass(kDram, 3, 90 * kCycle);
  EXPECT_EQ(choose(91 * kCycle), kNvdimm) << "four are ready still";
  pass(kNvdimm, 4, 92 * kCycle);
  pass(kDram, 4, 92 * kCycle);
  ready(1, 100 * kCycle);
  pass(kDram, 1, 150 * kCycle);
  EXPECT_EQ(choose(199 * kCycle), kDram);
  EXPECT_EQ(choose(200 * kCycle), kNvdimm) << "100 cycles from when it was ready";
}

}  // namespace
}  // namespace hmsim
