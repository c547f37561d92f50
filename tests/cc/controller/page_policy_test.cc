// SPDX-License-Identifier: BSD-3-Clause
// When do page policies close rows (DDR3-1600 11-11-11-28, tRTP 6)?
#include <gtest/gtest.h>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;

Assignments with_policy(const char* name, const Assignments& more = {}) {
  return with({{"nvdimm.present", "false"}, {"controller.page_policy", name}}, more);
}

std::vector<Cycle> cycles_of(const ChannelUnderTest& channel, ChannelCommand command) {
  std::vector<Cycle> cycles;
  for (const CommandRecord& record : only(channel.log_, command)) {
    cycles.push_back(record.cycle);
  }
  return cycles;
}

using Cycles = std::vector<Cycle>;

TEST(PagePolicy, OpenPageLeavesTheRow) {
  ChannelUnderTest channel(with_policy("open_page"));
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(5000));
  EXPECT_TRUE(cycles_of(channel, ChannelCommand::precharge).empty());
}

TEST(PagePolicy, ClosedPagePrechargesAsSoonAsItMay) {
  ChannelUnderTest channel(with_policy("closed_page"));
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(200));
  EXPECT_EQ(cycles_of(channel, ChannelCommand::precharge), Cycles{Cycle(28)});  // tRAS
  // Queued hits go first; the last of the 8 is read in cycle 211 + 7 x 4.
  for (int column = 0; column < 8; ++column) {
    channel.send(kDram, channel.dram(2, 3, column));
  }
  channel.run_to(Cycle(400));
  EXPECT_EQ(cycles_of(channel, ChannelCommand::precharge),
            (Cycles{Cycle(28), Cycle(200 + 11 + 28 + 6)}));  // tRTP
  EXPECT_EQ(cycles_of(channel, ChannelCommand::activate), (Cycles{Cycle(0), Cycle(200)}));
  // After a write: CWL + BL/2 + tWR = 26.
  channel.send(kDram, channel.dram(2, 3, 0), true);
  channel.run_to(Cycle(600));
  EXPECT_EQ(cycles_of(channel, ChannelCommand::precharge).back(), Cycle(400 + 11 + 26));
}

TEST(PagePolicy, ClosedPageSparesAConflictItsPrecharge) {
  ChannelUnderTest channel(with_policy("closed_page"));
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(100));
  const std::uint64_t id = channel.send(kDram, channel.dram(2, 0, 0));
  channel.run_to(Cycle(200));
  EXPECT_EQ(channel.finished_.at(id), Cycle(100 + 26));
}

TEST(PagePolicy, TimeoutCountsFromTheLastAccess) {
  ChannelUnderTest channel(
      with_policy("timeout_page", {{"policies.timeout_page.timeout", "100ns"}}));  // 80 cycles
  channel.send(kDram, channel.dram(1, 0, 0));  // read in cycle 11
  channel.run_to(Cycle(90));
  channel.send(kDram, channel.dram(1, 0, 1));  // a hit
  channel.run_to(Cycle(165));
  EXPECT_TRUE(cycles_of(channel, ChannelCommand::precharge).empty());
  channel.run_to(Cycle(500));
  EXPECT_EQ(cycles_of(channel, ChannelCommand::precharge), Cycles{Cycle(90 + 80)});
}

TEST(PagePolicy, CapRefusesFurtherHits) {
  for (const int cap : {1, 4, 5}) {
    SCOPED_TRACE(cap);
    ChannelUnderTest channel(
        with_policy("capped_page", {{"policies.capped_page.cap", std::to_string(cap)}}));
    for (int column = 0; column < 10; ++column) {
      channel.send(kDram, channel.dram(1, 0, column));
    }
    channel.run_to(Cycle(2000));
    EXPECT_EQ(channel.completions_.size(), 10u);
    EXPECT_EQ(cycles_of(channel, ChannelCommand::activate).size(),
              static_cast<std::size_t>((10 + cap - 1) / cap));
    EXPECT_EQ(cycles_of(channel, ChannelCommand::precharge).size(),
              static_cast<std::size_t>(10 / cap));
  }
}

TEST(PagePolicy, CapLetsAnOlderConflictGo) {
  // With FR-FCFS a stream of hits would delay the conflict forever.
  const auto conflict_ends = [](const char* policy) {
    ChannelUnderTest channel(with_policy(policy, {{"controller.queue_depth", "8"}}));
    std::int64_t column = 0;
    const auto next = [&] { channel.send(kDram, channel.dram(1, 0, column++ % 256)); };
    next();
    channel.run_to(Cycle(20));
    const std::uint64_t conflict = channel.send(kDram, channel.dram(2, 0, 0));
    channel.on_done = [&](const Request&) {
      if (channel.kernel_.now() < Tick(2000 * 1250)) {
        next();
      }
    };
    for (int i = 0; i < 6; ++i) {
      next();
    }
    channel.drain(Cycle(10'000));
    return channel.finished_.at(conflict);
  };
  EXPECT_GT(conflict_ends("open_page"), Cycle(2000));
  EXPECT_LT(conflict_ends("capped_page"), Cycle(150));
}

}  // namespace
}  // namespace hmsim::testing
