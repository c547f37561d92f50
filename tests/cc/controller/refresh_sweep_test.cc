// SPDX-License-Identifier: BSD-3-Clause
// Requests at each distance from a refresh: no command is too early, and the shortcuts change no
// command.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using Paths = ChannelUnderTest::Paths;

struct Sent {
  std::int64_t after;  // cycles after the first one
  std::int64_t row;
  std::int64_t bank;
  std::int64_t rank;
  bool write;
};

// Row 1 of banks 0 and 5 of each rank is open.
const std::vector<std::vector<Sent>> kTraffic{
    {{0, 1, 0, 0, false}},                                            // hit
    {{0, 1, 0, 0, true}},                                             //
    {{0, 2, 0, 0, false}},                                            // conflict
    {{0, 2, 0, 0, true}},                                             //
    {{0, 1, 1, 0, false}},                                            // closed bank
    {{0, 1, 0, 1, false}},                                            // in the last rank
    {{0, 2, 0, 1, true}},                                             //
    {{0, 1, 0, 0, false}, {1, 1, 0, 0, false}, {2, 1, 0, 0, true}},   //
    {{0, 2, 0, 0, false}, {20, 2, 1, 0, false}},                      //
    {{0, 1, 0, 1, true}, {9, 2, 0, 0, false}, {10, 3, 0, 1, false}},  //
};

struct Run {
  Run(const SystemConfig& config, Paths paths) : channel(config, nullptr, paths) {
    for (std::int64_t rank = 0; rank < config.dram.ranks; ++rank) {
      channel.send(MemoryClass::dram, channel.dram(1, 0, 0, rank));
      channel.send(MemoryClass::dram, channel.dram(1, 5, 0, rank));
    }
  }
  void send(const std::vector<Sent>& traffic, Cycle from) {
    for (const Sent& each : traffic) {
      channel.run_to(from + Cycle(each.after));
      channel.send(
          MemoryClass::dram,
          channel.dram(each.row, each.bank, 3, earlier(each.rank, channel.config_.dram.ranks - 1)),
          each.write);
    }
  }

  ChannelUnderTest channel;
};

void expect_same(const SystemConfig& config, const std::vector<Sent>& traffic, Cycle from) {
  Run fast(config, Paths::fast);
  Run reference(config, Paths::reference);
  for (Run* const each : {&fast, &reference}) {
    each->send(traffic, from);
    each->channel.run_to(from + Cycle(400));
  }
  EXPECT_EQ(fast.channel.finished_, reference.channel.finished_);
  ASSERT_EQ(fast.channel.log_.size(), reference.channel.log_.size());
  for (std::size_t i = 0; i < fast.channel.log_.size(); ++i) {
    ASSERT_TRUE(fast.channel.log_[i] == reference.channel.log_[i]) << "command " << i;
  }
  EXPECT_TRUE(fast.channel.save() == reference.channel.save());
}

// Returns the edge of the first refresh.
Cycle first_urgent(const SystemConfig& config) {
  return Cycle(config.dram.refresh_interval() / config.dram.ranks);
}

TEST(RefreshSweep, ShortcutsChangeNothingAtAnyDistanceFromARefresh) {
  const Assignments map{{"controller.address_map", "row|bank|rank|column|channel"},
                        {"controller.queue_depth", "8"}};
  const std::vector<Assignments> configs{
      with(kDramOnly, {{"dram.ranks", "1"}}), with(kDramOnly, {{"dram.ranks", "2"}}),
      with(kDramOnly, {{"dram.ranks", "2"}, {"controller.starvation_limit", "40ns"}})};
  for (std::size_t which = 0; which < configs.size(); ++which) {
    const SystemConfig config = make_config(with(configs[which], map));
    for (std::size_t traffic = 0; traffic < kTraffic.size(); ++traffic) {
      for (std::int64_t before = -2; before < 46; ++before) {
        SCOPED_TRACE(std::to_string(which) + ", " + std::to_string(traffic) + ", " +
                     std::to_string(before));
        expect_same(config, kTraffic[traffic], first_urgent(config) - Cycle(before));
        if (HasFailure()) {
          return;
        }
      }
    }
  }
}

// Many closed banks need their rows while some of them are to be refreshed; the checker checks
// every command.
TEST(RefreshSweep, NoBankIsActivatedWhileItIsRefreshed) {
  enum class Order : std::uint8_t { up, down, down_in_a_group };
  const std::vector<Assignments> configs{
      {{"dram.preset", "ddr3_1600_4gb_x8"}},
      {{"dram.preset", "ddr4_2400t_8gb_x8"}},
      {{"dram.preset", "ddr5_4800b_16gb_x8"}, {"dram.refresh_mode", "same_bank"}}};
  for (const Assignments& each : configs) {
    const SystemConfig config = make_config(with(kDramOnly, each));
    const DramOrganisation& part = config.dram.organisation;
    const auto line_of = [&](std::int64_t group, std::int64_t bank) {
      return bank * part.columns * config.dram.ranks * part.groups + group;
    };
    for (const Order order : {Order::up, Order::down, Order::down_in_a_group}) {
      std::vector<std::int64_t> lines;
      for (std::int64_t bank = 0; bank < part.banks_per_group(); ++bank) {
        for (std::int64_t group = 0; group < part.groups; ++group) {
          if (group == 0 || order != Order::down_in_a_group) {
            lines.push_back(line_of(group, bank));
          }
        }
      }
      if (order != Order::up) {
        std::reverse(lines.begin(), lines.end());
      }
      for (std::int64_t before = 0; before < 60; ++before) {
        SCOPED_TRACE(each.front().second + ", " + std::to_string(static_cast<int>(order)) + ", " +
                     std::to_string(before));
        ChannelUnderTest channel(config);
        channel.run_to(first_urgent(config) - Cycle(before));
        for (const std::int64_t line : lines) {
          channel.send(MemoryClass::dram, Address(line * kLineBytes.value()));
        }
        channel.run_to(first_urgent(config) + Cycle(2000));
        EXPECT_EQ(channel.finished_.size(), lines.size());
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
