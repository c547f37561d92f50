// SPDX-License-Identifier: BSD-3-Clause
// A channel with one request at a time.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {

inline Cycle now_of(const ChannelUnderTest& channel) {
  return Cycle(channel.kernel_.now() / channel.channel_.clock_period());
}

// Sends a request to DRAM and runs for 200 cycles. Returns the request's latency.
inline Cycle latency_of(ChannelUnderTest& channel, Address address, bool write = false) {
  const Cycle sent = now_of(channel);
  const std::uint64_t id = channel.send(MemoryClass::dram, address, write);
  channel.run_to(sent + Cycle(200));
  return channel.finished_.at(id) - sent;
}

// Expects one refresh of some banks of a rank in each `turns`-th part of tREFI, for `intervals` of
// these, in the order of the banks. The first one must delay activates of the given banks by the
// given cycles.
inline void expect_refreshes_in_turn(const Assignments& assignments, std::int64_t trefi, int turns,
                                     int intervals, const std::map<int, std::int64_t>& delays) {
  const Cycle first(trefi / turns);
  for (const auto& [bank, held] : delays) {
    ChannelUnderTest channel(assignments);
    channel.run_to(first + Cycle(1));
    channel.send(MemoryClass::dram, channel.dram(1, bank, 0));
    channel.run_to(first + Cycle(400));
    EXPECT_EQ(only(channel.log_, ChannelCommand::refresh_same_bank).at(0).cycle, first);
    EXPECT_EQ(only(channel.log_, ChannelCommand::activate).at(0).cycle, first + Cycle(held))
        << bank;
  }
  ChannelUnderTest channel(assignments);
  channel.run_to(Cycle(intervals * trefi));
  const std::vector<CommandRecord> refreshes =
      only(channel.log_, ChannelCommand::refresh_same_bank);
  ASSERT_EQ(refreshes.size(), static_cast<std::size_t>(intervals * turns));
  for (std::size_t i = 0; i < refreshes.size(); ++i) {
    EXPECT_EQ(refreshes[i].bank, static_cast<int>(i) % turns);
  }
}

}  // namespace hmsim::testing
