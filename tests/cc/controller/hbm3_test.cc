// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of HBM3 at 6.4 Gb/s (RL 26, WL 13, tRCD = tRP = 26, tCCDS 2, tCCDL 4, tCCDR 3): two
// command buses, pseudo-channels, lines of two bursts; and the checker's verdict on wrong logs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/protocol_checker.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/one_request.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
using Log = std::vector<CommandRecord>;

constexpr auto kDram = MemoryClass::dram;
constexpr std::int64_t kLine = 6;  // two bursts of 2 cycles, starting 4 cycles apart

// Banks 0 to 3 form the first group, 4 to 7 the next, and so on; 16 to 31 have the other stack id.
const Assignments kHbm3 = keys_from(
    "nvdimm.present=false dram.preset=hbm3_6400_8h_4gb_x32 dram.ranks=2 dram.refresh=false "
    "controller.address_map=row|group|bank|rank|column|channel");

TEST(Hbm3, ClosedBankHitAndConflictOfAnIdleChannel) {
  ChannelUnderTest channel(kHbm3);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(1 + 26 + 26 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(26 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 2), true), Cycle(13 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(26 + 26 + 26 + kLine));
}

struct Place {
  int bank;
  int rank;
};

// Sends two requests to open rows at once. Returns the cycles from the first command to the second.
Cycle between(Place one, Place other, bool write = false, bool then_write = false) {
  ChannelUnderTest channel(kHbm3);
  latency_of(channel, channel.dram(5, one.bank, 0, one.rank));
  latency_of(channel, channel.dram(5, other.bank, 0, other.rank));
  channel.log_.clear();
  channel.send(kDram, channel.dram(5, one.bank, 1, one.rank), write);
  channel.send(kDram, channel.dram(5, other.bank, 2, other.rank), then_write);
  channel.run_to(now_of(channel) + Cycle(300));
  return channel.log_.at(1).cycle - channel.log_.at(0).cycle;
}

TEST(Hbm3, LinesInterleaveBetweenGroupsAndPseudoChannels) {
  for (const bool write : {false, true}) {
    EXPECT_EQ(between({0, 0}, {0, 0}, write, write), Cycle(4 + 4));  // tCCDL after the second burst
    EXPECT_EQ(between({0, 0}, {1, 0}, write, write), Cycle(4 + 4));
    EXPECT_EQ(between({0, 0}, {4, 0}, write, write), Cycle(2));  // tCCDS: within the gap
    // Reads: tCCDR after the second burst.
    EXPECT_EQ(between({0, 0}, {16, 0}, write, write), Cycle(write ? 2 : 4 + 3));
    EXPECT_EQ(between({0, 0}, {0, 1}, write, write), Cycle(1));  // limited only by the column bus
  }
  EXPECT_EQ(between({0, 0}, {4, 0}, true, false), Cycle(13 + kLine + 7));       // tWTRS
  EXPECT_EQ(between({0, 0}, {1, 0}, true, false), Cycle(13 + kLine + 13));      // tWTRL
  EXPECT_EQ(between({0, 0}, {4, 0}, false, true), Cycle(26 + kLine + 2 - 13));  // one data bus
  EXPECT_EQ(between({0, 0}, {0, 1}, true, false), Cycle(1));  // on the other pseudo-channel
  EXPECT_EQ(between({0, 0}, {0, 1}, false, true), Cycle(1));
}

// The write is issued later and completes first.
TEST(Hbm3, DataOfTwoPseudoChannelsMayEndOutOfOrder) {
  ChannelUnderTest channel(kHbm3);
  latency_of(channel, channel.dram(5, 0, 0, 0));
  latency_of(channel, channel.dram(5, 0, 0, 1));
  const Cycle sent = now_of(channel);
  const std::uint64_t read = channel.send(kDram, channel.dram(5, 0, 1, 0));
  const std::uint64_t write = channel.send(kDram, channel.dram(5, 0, 1, 1), true);
  channel.run_to(sent + Cycle(100));
  EXPECT_EQ(channel.finished_.at(read) - sent, Cycle(26 + kLine));
  EXPECT_EQ(channel.finished_.at(write) - sent, Cycle(1 + 13 + kLine));
}

// A read of an open row and an activate, both possible at once.
TEST(Hbm3, ARowAndAColumnCommandGoInOneCycle) {
  ChannelUnderTest channel(kHbm3);
  latency_of(channel, channel.dram(5, 0, 0));
  channel.log_.clear();
  const Cycle sent = now_of(channel);
  channel.send(kDram, channel.dram(5, 0, 1));
  channel.send(kDram, channel.dram(7, 8, 0));
  channel.run_to(sent + Cycle(300));
  assert_commands(channel.log_, {{C::read, 0}, {C::activate, 0}, {C::read, 27}}, sent);
}

// Sixteen rows of each pseudo-channel, all activated before the first read. tRRDS and tFAW apply to
// each pseudo-channel separately, and an activate takes two cycles of the row bus.
TEST(Hbm3, ActivateWindowsAreOfAPseudoChannel) {
  ChannelUnderTest channel(with(kHbm3, {{"dram.timing.tFAW", "32"}, {"dram.timing.tRCD", "300"}}));
  for (int bank = 0; bank < 16; ++bank) {
    for (const int rank : {0, 1}) {
      channel.send(kDram, channel.dram(3, bank % 4 * 4 + bank / 4, 0, rank));
    }
  }
  channel.run_to(Cycle(250));
  for (const int rank : {0, 1}) {
    const Log activates = only(channel.log_, C::activate, rank);
    ASSERT_EQ(activates.size(), 16u);
    EXPECT_EQ(activates[1].cycle - activates[0].cycle, Cycle(5));
    EXPECT_EQ(activates[15].cycle - activates[3].cycle, Cycle(3 * 32));
  }
  const Log all = only(channel.log_, C::activate);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i].cycle - all[i - 1].cycle, Cycle(2));
  }
}

// 64 data lines at 6.4 Gb/s move a line in two cycles of 0.625 ns.
TEST(Hbm3, AStreamFillsBothDataBuses) {
  Assignments assignments = kHbm3;
  assignments[1].second = "hbm3_6400_4h_2gb_x32";
  assignments.pop_back();
  assignments.emplace_back("controller.queue_depth", "64");
  ChannelUnderTest channel(assignments);
  EXPECT_EQ(channel.config_.controller.address_map, "row|bank|column|rank|group|channel");
  for (int line = 0; line < 64; ++line) {
    channel.send(kDram, Address(line * kLineBytes.value()));
  }
  channel.drain();
  const Log reads = only(channel.log_, C::read);
  ASSERT_EQ(reads.size(), 64u);
  EXPECT_EQ(reads[63].cycle - reads[31].cycle, Cycle(32 * 2));
  EXPECT_EQ(channel.channel_.statistics().dram_data_cycles, 64u * 2);
}

// Every tREFI/32 one REFpb refreshes one bank. Activates end tRFCpb after it, of other banks
// tRREFD.
TEST(Hbm3, APerBankRefreshIsOfOneBank) {
  Assignments assignments = kHbm3;
  assignments[2].second = "1";
  assignments[3].second = "true";
  assignments.emplace_back("dram.refresh_mode", "same_bank");
  expect_refreshes_in_turn(assignments, 6240, 32, 2, {{0, 320 - 1}, {1, 13 - 1}, {16, 13 - 1}});
}

TEST(Hbm3, FeaturesThatAreNotModelledAreRejected) {
  EXPECT_NO_THROW(make_config(kHbm3));
  const auto with_one = [](const char* name, const char* value) {
    return with(kHbm3, {{name, value}});
  };
  EXPECT_THROW(make_config(with_one("dram.power_down", "fast")), InputError);
  EXPECT_THROW(make_config(with_one("dram.self_refresh", "true")), InputError);
  // Without a matching burst gap.
  EXPECT_THROW(make_config(with_one("dram.timing.tCCD_L", "5")), InputError);
  EXPECT_NO_THROW(
      make_config(with(kHbm3, {{"dram.timing.tCCD_L", "5"}, {"dram.timing.burst_gap", "3"}})));
  Assignments more = kHbm3;
  more[2].second = "4";
  more[1].second = "hbm3_6400_4h_2gb_x32";
  EXPECT_THROW(make_config(more), InputError);
  more[2].second = "2";
  more[0].second = "true";
  EXPECT_THROW(make_config(more), InputError);
}

// Returns the rules that a log of reads breaks, after the rows of all banks were opened.
std::set<std::string> broken_by_reads(const Log& reads, const std::set<int>& banks) {
  ProtocolChecker checker(make_config(kHbm3));
  std::int64_t at = 0;
  for (const int bank : banks) {
    for (const int rank : {0, 1}) {
      checker.on_command({Cycle(at += 8), C::activate, 0, rank, bank, 1, -1});
    }
  }
  for (const CommandRecord& read : reads) {
    checker.on_command(read);
  }
  std::set<std::string> rules;
  for (const Violation& violation : checker.violations().first()) {
    rules.insert(violation.rule);
  }
  return rules;
}

TEST(Hbm3, TheCheckerKnowsTheColumnBusAndTheHalvesOfLines) {
  const auto two_reads = [](int bank, int rank, std::int64_t distance) {
    return broken_by_reads({{Cycle(200), C::read, 0, 0, 0, 1, 0},
                            {Cycle(200 + distance), C::read, 0, rank, bank, 1, 1}},
                           {0, 4, 16});
  };
  using Rules = std::set<std::string>;
  EXPECT_EQ(two_reads(4, 0, 2), Rules{});
  EXPECT_EQ(two_reads(4, 0, 3), Rules{"data bus"});
  EXPECT_EQ(two_reads(4, 0, 4), (Rules{"column bus", "data bus"}));
  EXPECT_EQ(two_reads(4, 0, 6), Rules{});
  EXPECT_EQ(two_reads(0, 1, 0), Rules{"column bus"});
  EXPECT_EQ(two_reads(0, 1, 1), Rules{});
  EXPECT_EQ(two_reads(0, 1, 4), Rules{"column bus"});
  EXPECT_EQ(two_reads(16, 0, 6), Rules{"tCCDR"});
  EXPECT_EQ(two_reads(16, 0, 7), Rules{});
}

TEST(Hbm3, TheCheckerKnowsTheRowBus) {
  for (const auto& [distance, broken] : std::map<int, bool>{{1, true}, {2, false}}) {
    ProtocolChecker checker(make_config(kHbm3));
    checker.on_command({Cycle(8), C::activate, 0, 0, 0, 1, -1});
    checker.on_command({Cycle(8 + distance), C::activate, 0, 1, 0, 1, -1});
    EXPECT_EQ(checker.violations().total() == 1, broken);
  }
}

}  // namespace
}  // namespace hmsim::testing
