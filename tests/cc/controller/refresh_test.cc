// SPDX-License-Identifier: BSD-3-Clause
// Refreshes put off and made ahead: how many there are, and when.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr std::int64_t kInterval = 6240;

Assignments elastic(const char* postpone, const char* pull_in, const char* ranks = "1") {
  return {{"nvdimm.present", "false"},
          {"dram.ranks", ranks},
          {"dram.refresh_postpone", postpone},
          {"dram.refresh_pull_in", pull_in}};
}

// Keeps 16 reads to the rank outstanding until `end`.
void keep_busy(ChannelUnderTest& channel, Cycle end) {
  std::int64_t column = 0;
  const auto next = [&] {
    if (channel.kernel_.now() < end.value() * channel.channel_.clock_period()) {
      channel.send(kDram, channel.dram(1, 0, column++ % 256));
    }
  };
  channel.on_done = [&](const Request&) { next(); };
  for (int i = 0; i < 16; ++i) {
    next();
  }
  channel.run_to(end + Cycle(1000));
}

std::size_t refreshes_before(const ChannelUnderTest& channel, std::int64_t cycle, int rank = 0) {
  std::size_t count = 0;
  for (const CommandRecord& record : only(channel.log_, ChannelCommand::refresh, rank)) {
    count += record.cycle <= Cycle(cycle) ? 1 : 0;
  }
  return count;
}

TEST(Refresh, PutOffWhileRequestsWaitAndMadeUpWhenIdle) {
  for (const int postpone : {1, 4, 7}) {
    SCOPED_TRACE(postpone);
    ChannelUnderTest channel(elastic(std::to_string(postpone).c_str(), "0"));
    keep_busy(channel, Cycle(kInterval * 20 + 3000));
    const auto refreshes = only(channel.log_, ChannelCommand::refresh);
    // Busy: the first waits for `postpone` intervals more, and so does each of the others.
    EXPECT_GE(refreshes[0].cycle, Cycle(kInterval * (1 + postpone)));
    EXPECT_LT(refreshes[0].cycle, Cycle(kInterval * (1 + postpone) + 100));
    EXPECT_EQ(refreshes_before(channel, kInterval * 20 + 3000),
              static_cast<std::size_t>(20 - postpone));
    // Idle: all that were put off are made up, a tRFC apart.
    EXPECT_EQ(refreshes.size(), 20u);
    for (std::size_t i = 20 - static_cast<std::size_t>(postpone); i + 1 < 20; ++i) {
      EXPECT_EQ(refreshes[i + 1].cycle - refreshes[i].cycle, Cycle(88));
    }
    channel.run_to(Cycle(kInterval * 40 + 100));
    EXPECT_EQ(only(channel.log_, ChannelCommand::refresh).size(), 40u);
  }
}

TEST(Refresh, MadeAheadWhileIdle) {
  for (const int pull_in : {1, 8}) {
    SCOPED_TRACE(pull_in);
    ChannelUnderTest channel(elastic("0", std::to_string(pull_in).c_str()));
    channel.run_to(Cycle(kInterval * 30 + 100));
    EXPECT_EQ(refreshes_before(channel, kInterval * 30 + 100),
              static_cast<std::size_t>(30 + pull_in));
    EXPECT_EQ(refreshes_before(channel, 1000), static_cast<std::size_t>(pull_in == 1 ? 1 : 8));
  }
}

TEST(Refresh, WhatWasMadeAheadIsSavedWhenBusy) {
  ChannelUnderTest channel(elastic("0", "8"));
  channel.run_to(Cycle(2000));
  EXPECT_EQ(only(channel.log_, ChannelCommand::refresh).size(), 8u);
  keep_busy(channel, Cycle(kInterval * 10 + 3000));
  EXPECT_EQ(refreshes_before(channel, kInterval * 9 - 1), 8u);
  EXPECT_EQ(refreshes_before(channel, kInterval * 9 + 100), 9u);
  EXPECT_EQ(refreshes_before(channel, kInterval * 10 + 100), 10u);
}

// With random gaps in the traffic: the count is always within the allowance, no two refreshes are
// more than 9 intervals apart, and no 17 lie within two intervals.
TEST(Refresh, NeverLeavesTheAllowance) {
  for (const auto& [postpone, pull_in] :
       std::vector<std::pair<int, int>>{{0, 0}, {8, 0}, {0, 8}, {8, 8}, {3, 2}}) {
    SCOPED_TRACE(std::to_string(postpone) + ", " + std::to_string(pull_in));
    ChannelUnderTest channel(
        elastic(std::to_string(postpone).c_str(), std::to_string(pull_in).c_str(), "2"));
    Random random(11);
    Cycle now{0};
    while (now < Cycle(kInterval * 100)) {
      const Cycle until = now + Cycle(static_cast<std::int64_t>(random.below(kInterval * 12)));
      const bool busy = random.below(2) == 0;
      while (now < until) {
        const auto rank = static_cast<std::int64_t>(random.below(2));
        const auto row = static_cast<std::int64_t>(random.below(64));
        const auto bank = static_cast<std::int64_t>(random.below(8));
        channel.send(kDram, channel.dram(row, bank, 0, rank));
        now += Cycle(busy ? 8 : 1500);
        channel.run_to(now);
      }
    }
    channel.drain(now + Cycle(100'000));
    constexpr std::int64_t kLate = 200;  // cycles to close the banks
    for (int rank = 0; rank < 2; ++rank) {
      const auto refreshes = only(channel.log_, ChannelCommand::refresh, rank);
      const std::int64_t offset = rank == 0 ? kInterval / 2 : kInterval;  // of the first one due
      for (std::size_t i = 0; i < refreshes.size(); ++i) {
        const std::int64_t at = refreshes[i].cycle.value();
        const std::int64_t due = offset + static_cast<std::int64_t>(i) * kInterval;
        EXPECT_LE(at, due + postpone * kInterval + kLate);
        EXPECT_GE(at, due - pull_in * kInterval);
        if (i >= 1) {
          EXPECT_LE(at - refreshes[i - 1].cycle.value(), 9 * kInterval);
        }
        if (i >= 16) {
          EXPECT_GE(at - refreshes[i - 16].cycle.value(), 2 * kInterval);
        }
      }
      EXPECT_GE(refreshes.size(), 100u - static_cast<std::size_t>(postpone) - 1);
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
