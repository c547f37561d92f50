// SPDX-License-Identifier: BSD-3-Clause
// Queues, admission and arbitration: which requests wait where, and which get the data bus.
#include <gtest/gtest.h>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Cycle kPastFlashRead{100'000};

Address page(int number) { return Address(number * 4096); }

Assignments base(const Assignments& more) { return with({{"dram.refresh", "false"}}, more); }

// Four NVDIMM reads that miss fill a queue of four; a DRAM read follows. Returns the completion of
// the DRAM read.
Cycle dram_behind_full_queue(const Assignments& assignments) {
  ChannelUnderTest channel(base(assignments));
  for (int i = 0; i < 4; ++i) {
    channel.send(kNvdimm, page(i));
  }
  const std::uint64_t id = channel.send(kDram, channel.dram(0, 0, 0));
  channel.run_to(kPastFlashRead);
  return channel.finished_.at(id);
}

TEST(Admission, SlowRequestsShutDramOutOfAUnifiedQueue) {
  const Cycle unified = dram_behind_full_queue({{"controller.queue_depth", "4"}});
  EXPECT_GT(unified, Cycle(56'000));  // 70 us: until a flash read has been transferred
  const Cycle larger = dram_behind_full_queue({{"controller.queue_depth", "8"}});
  EXPECT_LT(larger, Cycle(40));
  const Cycle split =
      dram_behind_full_queue({{"controller.queue_depth", "4"}, {"controller.queues", "split"}});
  EXPECT_LT(split, Cycle(40));
}

TEST(Admission, NoRequestOvertakesARefusedOneOfItsLine) {
  ChannelUnderTest channel(base({{"controller.queue_depth", "2"}}));
  std::vector<std::uint64_t> sent;
  for (int i = 0; i < 3; ++i) {
    sent.push_back(channel.send(kNvdimm, page(i)));
  }
  sent.push_back(channel.send(kDram, channel.dram(0, 0, 0)));
  EXPECT_TRUE(channel.channel_.would_wait(kDram));
  channel.run_to(Cycle(1000));
  EXPECT_TRUE(channel.finished_.empty());  // the DRAM read waits after the third NVDIMM read
  channel.drain();
  EXPECT_EQ(channel.completions_.size(), sent.size());
}

TEST(Admission, TransactionsHoldTheirSlotUntilTheLastBeat) {
  ChannelUnderTest channel(base({{"controller.queue_depth", "1"}}));
  const auto first = channel.send(kDram, channel.dram(0, 0, 0));
  const auto second = channel.send(kDram, channel.dram(0, 0, 1));
  channel.run_to(Cycle(100));
  EXPECT_EQ(channel.finished_.at(first), Cycle(26));
  EXPECT_EQ(channel.finished_.at(second), Cycle(26 + 15));
}

TEST(Scheduling, RowHitsFirstOrOldestFirst) {
  for (const auto& [scheduler, hit_first] :
       {std::pair("fr_fcfs", true), std::pair("fcfs", false)}) {
    ChannelUnderTest channel(base({{"controller.scheduler", scheduler}}));
    channel.send(kDram, channel.dram(0, 0, 0));
    const auto conflict = channel.send(kDram, channel.dram(1, 0, 0));
    const auto hit = channel.send(kDram, channel.dram(0, 0, 1));
    channel.run_to(Cycle(300));
    EXPECT_EQ(channel.finished_.at(hit) < channel.finished_.at(conflict), hit_first) << scheduler;
  }
}

// A DRAM row hit and an acknowledged NVDIMM line that could both take the bus on one edge.
struct Contest {
  Cycle dram;
  Cycle nvdimm;
  std::uint64_t dram_wins;
};

Contest contest(const char* arbiter, bool dram_older) {
  ChannelUnderTest channel(base({{"controller.queues", "split"}, {"controller.arbiter", arbiter}}));
  channel.send(kNvdimm, page(0));
  channel.send(kDram, channel.dram(0, 0, 0));
  channel.run_to(kPastFlashRead);
  // An NVDIMM line sent now may be granted from edge 44 on. The DRAM stream keeps the bus busy
  // around then, so both wait for the same free slot.
  std::uint64_t dram = 0;
  std::uint64_t nvdimm = 0;
  if (dram_older) {
    dram = channel.send(kDram, channel.dram(1, 0, 0));  // conflict: column command at edge 22
    channel.run_to(kPastFlashRead + Cycle(1));
  }
  nvdimm = channel.send(kNvdimm, Address(64));
  std::vector<std::uint64_t> hits;
  for (int i = 1; i < 20; ++i) {
    hits.push_back(channel.send(kDram, channel.dram(dram_older ? 1 : 0, 0, i)));
  }
  channel.run_to(kPastFlashRead + Cycle(400));
  (void)dram;
  return {channel.finished_.at(hits.back()), channel.finished_.at(nvdimm),
          channel.channel_.statistics().dram_wins};
}

TEST(Arbitration, DramFirstLetsTheNvdimmWaitForTheStreamToEnd) {
  const Contest result = contest("dram_first", false);
  EXPECT_GT(result.nvdimm, result.dram);
  EXPECT_GT(result.dram_wins, 0u);
}

TEST(Arbitration, OldestFirstAndRoundRobinLetTheNvdimmIn) {
  EXPECT_LT(contest("oldest_first", false).nvdimm, contest("oldest_first", false).dram);
  EXPECT_LT(contest("round_robin", true).nvdimm, contest("round_robin", true).dram);
}

}  // namespace
}  // namespace hmsim::testing
