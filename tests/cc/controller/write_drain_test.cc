// SPDX-License-Identifier: BSD-3-Clause
// Batches of writes, and refreshes that interfere with them.
#include <gtest/gtest.h>

#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr Cycle kRefresh{3120};  // the first refresh of rank 0 of two; its tRFC is 208 cycles
constexpr Cycle kRead{11 + 11 + 4};

Assignments drained(const char* high, const char* low) {
  return {{"nvdimm.present", "false"},
          {"dram.preset", "ddr3_1600k_4gb_x8"},
          {"dram.ranks", "2"},
          {"controller.writes", "drained"},
          {"controller.drain_high", high},
          {"controller.drain_low", low}};
}

// All waiting writes of a batch are for a rank under refresh: reads of the other rank are served.
TEST(WriteDrain, ABatchForARefreshedRankHoldsUpNoReads) {
  ChannelUnderTest channel(drained("2", "1"));
  channel.run_to(kRefresh + Cycle(1));
  const std::uint64_t write = channel.send(kDram, channel.dram(1, 0, 0, 0), true);
  channel.send(kDram, channel.dram(1, 1, 0, 0), true);
  const std::uint64_t read = channel.send(kDram, channel.dram(1, 0, 0, 1));
  channel.run_to(kRefresh + Cycle(1000));
  EXPECT_EQ(channel.finished_.at(read), kRefresh + Cycle(1) + kRead);
  EXPECT_EQ(channel.finished_.at(write), kRefresh + Cycle(208 + 11 + 8 + 4));
}

// The batch continues when the refresh is over, although reads wait and few writes are left.
TEST(WriteDrain, TheBatchContinuesAfterTheRefresh) {
  ChannelUnderTest channel(drained("3", "1"));
  channel.run_to(kRefresh + Cycle(1));
  for (int bank = 0; bank < 3; ++bank) {
    channel.send(kDram, channel.dram(1, bank, 0, 0), true);
  }
  std::int64_t column = 0;
  const auto next = [&] { channel.send(kDram, channel.dram(1, 0, column++ % 256, 1)); };
  channel.on_done = [&](const Request& request) {
    if (!request.write) {
      next();
    }
  };
  for (int i = 0; i < 8; ++i) {
    next();
  }
  channel.run_to(kRefresh + Cycle(600));
  const auto activates = only(channel.log_, ChannelCommand::activate, 0);
  const auto writes = only(channel.log_, ChannelCommand::write, 0);
  ASSERT_EQ(writes.size(), 2u);  // down to one
  EXPECT_EQ(activates.at(0).cycle, kRefresh + Cycle(208));
  EXPECT_EQ(writes[0].cycle, kRefresh + Cycle(208 + 11));
  std::size_t reads_before = 0;
  for (const CommandRecord& read : only(channel.log_, ChannelCommand::read, 1)) {
    reads_before += read.cycle < kRefresh + Cycle(208) ? 1 : 0;
  }
  EXPECT_GT(reads_before, 15u);
}

// By default the marks follow the queue depth: 24 and 8 of 32.
TEST(WriteDrain, TheMarksAreSharesOfTheQueue) {
  ChannelUnderTest channel({{"nvdimm.present", "false"},
                            {"dram.refresh", "false"},
                            {"controller.queue_depth", "32"},
                            {"controller.writes", "drained"}});
  int writes_sent = 0;
  const auto fill = [&](int writes) {
    for (; writes_sent < writes; ++writes_sent) {
      channel.send(kDram, channel.dram(0, writes_sent % 8, writes_sent / 8, 1), true);
    }
  };
  std::int64_t column = 0;
  const auto next = [&] { channel.send(kDram, channel.dram(0, 0, column++ % 256, 0)); };
  channel.on_done = [&](const Request& request) {
    if (!request.write) {
      next();
    }
  };
  for (int i = 0; i < 8; ++i) {
    next();
  }
  fill(23);
  channel.run_to(Cycle(1000));
  EXPECT_EQ(only(channel.log_, ChannelCommand::write, 0).size(), 0u);
  fill(24);
  channel.run_to(Cycle(2000));
  EXPECT_EQ(only(channel.log_, ChannelCommand::write, 0).size(), 16u);
}

TEST(WriteDrain, AMarkBeyondTheQueueIsRejected) {
  const Assignments deep{{"controller.drain_high", "33"}, {"controller.drain_low", "8"}};
  Assignments shallow = deep;
  shallow.push_back({"controller.queue_depth", "32"});
  EXPECT_NO_THROW(make_config(shallow));  // no drained writes use it
  shallow.push_back({"controller.writes", "drained"});
  EXPECT_THROW(make_config(shallow), InputError);
}

TEST(WriteDrain, EqualMarksAreRejected) {
  EXPECT_NO_THROW(make_config({{"controller.drain_high", "8"}, {"controller.drain_low", "7"}}));
  EXPECT_THROW(make_config({{"controller.drain_high", "8"}, {"controller.drain_low", "8"}}),
               InputError);
}

// The opposite case: reads of a refreshed rank do not hold up writes to another rank.
TEST(WriteDrain, ReadsOfARefreshedRankHoldUpNoWrites) {
  ChannelUnderTest channel(drained("8", "1"));
  channel.run_to(kRefresh + Cycle(1));
  channel.send(kDram, channel.dram(1, 0, 0, 0));
  const std::uint64_t write = channel.send(kDram, channel.dram(1, 0, 0, 1), true);
  channel.run_to(kRefresh + Cycle(1000));
  EXPECT_EQ(channel.finished_.at(write), kRefresh + Cycle(1 + 11 + 8 + 4));
}

TEST(WholeChannel, RejectsSettingsThatTheOtherSimulatorLacks) {
  const Assignment backend{"dram.backend", "dramsim3_full"};
  const auto refused = [&backend](const char* name, const char* value) {
    return names(error_from([&] {
                   make_config({backend, {"nvdimm.present", "false"}, {name, value}});
                 }),
                 {std::string(name) + ": ", "dramsim3_full"});
  };
  EXPECT_TRUE(refused("controller.page_policy", "closed_page"));
  EXPECT_TRUE(refused("dram.refresh_postpone", "1"));
  EXPECT_TRUE(refused("dram.refresh_pull_in", "8"));
  EXPECT_TRUE(refused("dram.refresh", "false"));
}

}  // namespace
}  // namespace hmsim::testing
