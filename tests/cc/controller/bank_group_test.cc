// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of DDR4-2400R (16-16-16-39, tCCD 4/6, tRRD 4/6, tWTR 3/9, tFAW 26): bank groups.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "check/protocol_checker.h"
#include "core/random.h"
#include "dram/presets.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/one_request.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;

// Banks 0 to 3 form the first group, 4 to 7 the next, and so on.
const Assignments kDdr4{{"nvdimm.present", "false"},
                        {"dram.preset", "ddr4_2400r_8gb_x8"},
                        {"controller.address_map", "row|group|bank|rank|column|channel"}};

TEST(BankGroups, ClosedBankHitAndConflict) {
  ChannelUnderTest channel(kDdr4);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(16 + 16 + 4));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(16 + 4));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 2), true), Cycle(12 + 4));
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(16 + 16 + 16 + 4));
}

// Opens the row in both banks, then sends one request to each at the same time.
std::vector<CommandRecord> pair(int bank, int other, bool write, bool then_write) {
  ChannelUnderTest channel(kDdr4);
  latency_of(channel, channel.dram(5, bank, 0));
  latency_of(channel, channel.dram(5, other, 0));
  channel.log_.clear();
  channel.send(kDram, channel.dram(5, bank, 1), write);
  channel.send(kDram, channel.dram(5, other, 1), then_write);
  channel.run_to(now_of(channel) + Cycle(200));
  return channel.log_;
}

TEST(BankGroups, ColumnCommandsAreCloserBetweenGroups) {
  using Log = std::vector<CommandRecord>;
  const auto gap = [](const Log& log) { return log.at(1).cycle - log.at(0).cycle; };
  for (const bool write : {false, true}) {
    EXPECT_EQ(gap(pair(0, 0, write, write)), Cycle(6));  // tCCD_L
    EXPECT_EQ(gap(pair(0, 1, write, write)), Cycle(6));
    EXPECT_EQ(gap(pair(0, 4, write, write)), Cycle(4));  // tCCD_S
  }
  EXPECT_EQ(gap(pair(0, 1, true, false)), Cycle(12 + 4 + 9));       // CWL + BL/2 + tWTR_L
  EXPECT_EQ(gap(pair(0, 4, true, false)), Cycle(12 + 4 + 3));       // tWTR_S
  EXPECT_EQ(gap(pair(0, 1, false, true)), Cycle(16 + 4 + 2 - 12));  // CL + BL/2 + 2 - CWL
  EXPECT_EQ(gap(pair(0, 4, false, true)), Cycle(16 + 4 + 2 - 12));
}

TEST(BankGroups, ActivatesAreCloserBetweenGroups) {
  for (const auto& [other, spacing] : std::map<int, int>{{1, 6}, {4, 4}, {12, 4}}) {
    ChannelUnderTest channel(kDdr4);
    channel.send(kDram, channel.dram(3, 0, 0));
    channel.send(kDram, channel.dram(3, other, 0));
    channel.run_to(Cycle(100));
    EXPECT_EQ(first_gap(channel.log_, ChannelCommand::activate), Cycle(spacing));
  }
}

TEST(BankGroups, FourActivatesPerWindow) {
  ChannelUnderTest channel(kDdr4);
  for (int i = 0; i < 8; ++i) {
    channel.send(kDram, channel.dram(3, i % 4 * 4 + i / 4, 0));
  }
  channel.run_to(Cycle(200));
  const auto activates = only(channel.log_, ChannelCommand::activate);
  ASSERT_EQ(activates.size(), 8u);
  EXPECT_EQ(activates[3].cycle - activates[0].cycle, Cycle(12));
  EXPECT_EQ(activates[4].cycle - activates[0].cycle, Cycle(26));
}

TEST(BankGroups, Ddr5KeepsWritesAndPrechargesApart) {
  Assignments ddr5 = kDdr4;
  ddr5[1].second = "ddr5_4800b_16gb_x8";
  ChannelUnderTest channel(ddr5);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(39 + 40 + 8));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 4, 0)), Cycle(39 + 40 + 8));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(40 + 8));
  const auto gap = [&channel](int other, bool write) {
    channel.log_.clear();
    channel.send(kDram, channel.dram(5, 0, 1), write);
    channel.send(kDram, channel.dram(5, other, 1 + (other == 0 ? 1 : 0)), write);
    channel.run_to(now_of(channel) + Cycle(300));
    return first_gap(channel.log_, write ? ChannelCommand::write : ChannelCommand::read);
  };
  EXPECT_EQ(gap(0, false), Cycle(12));  // tCCD_L
  EXPECT_EQ(gap(4, false), Cycle(8));   // tCCD_S
  EXPECT_EQ(gap(0, true), Cycle(24));   // tCCD_L_WR2
  EXPECT_EQ(gap(4, true), Cycle(8));
  channel.log_.clear();
  channel.send(kDram, channel.dram(6, 0, 0));
  channel.send(kDram, channel.dram(6, 4, 0));
  channel.run_to(now_of(channel) + Cycle(300));
  EXPECT_EQ(first_gap(channel.log_, ChannelCommand::precharge), Cycle(2));  // tPPD
}

// Reads consecutive lines until `end`, 16 at a time. Returns the cycles of the read commands.
std::vector<Cycle> stream(const Assignments& assignments, Cycle end) {
  ChannelUnderTest channel(assignments);
  std::int64_t line = 0;
  const auto next = [&] { channel.send(kDram, Address(line++ % 512 * kLineBytes.value())); };
  channel.on_done = [&](const Request&) { next(); };
  for (int i = 0; i < 16; ++i) {
    next();
  }
  channel.run_to(end);
  std::vector<Cycle> reads;
  for (const CommandRecord& record : only(channel.log_, ChannelCommand::read)) {
    reads.push_back(record.cycle);
  }
  return reads;
}

TEST(BankGroups, AStreamFillsTheBusWithTheDefaultMapOnly) {
  const Assignments low{{"nvdimm.present", "false"}, {"dram.preset", "ddr4_2400r_8gb_x8"}};
  const std::vector<Cycle> fast = stream(low, Cycle(5000));
  const std::vector<Cycle> slow = stream(kDdr4, Cycle(5000));
  EXPECT_EQ(fast[600] - fast[100], Cycle(500 * 4));
  EXPECT_EQ(slow[600] - slow[100], Cycle(500 * 6));
}

TEST(BankGroups, AStreamLoses462CyclesToEachRefresh) {
  // tRTP + tRP + tRFC + tRCD = 9 + 16 + 421 + 16; the refresh is issued up to three cycles late.
  const Assignments low{{"nvdimm.present", "false"}, {"dram.preset", "ddr4_2400r_8gb_x8"}};
  const std::vector<Cycle> reads = stream(low, Cycle(9363 * 20 + 5000));
  int gaps = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    const Cycle gap = reads[i] - reads[i - 1];
    if (gap > Cycle(100)) {
      ++gaps;
      EXPECT_GE(gap, Cycle(462 - 3));
      EXPECT_LE(gap, Cycle(462));
    }
  }
  EXPECT_EQ(gaps, 20);
}

// Sends random requests, half of them to few rows. Returns the rules of `judged` that the channel's
// log breaks.
std::set<std::string> rules_broken(const Assignments& assignments, const Assignments& judged,
                                   int requests) {
  ChannelUnderTest channel(assignments);
  Random random(5);
  const auto lines = static_cast<std::uint64_t>(channel.config_.dram_capacity() / kLineBytes);
  Cycle now{0};
  for (int i = 0; i < requests; ++i) {
    const auto line = static_cast<std::int64_t>(random.below(random.below(2) == 0 ? 4096 : lines));
    channel.send(kDram, Address(line * kLineBytes.value()), random.below(3) == 0);
    now += Cycle(static_cast<std::int64_t>(random.below(12)));
    channel.run_to(now);
  }
  channel.drain();
  EXPECT_EQ(channel.completions_.size(), static_cast<std::size_t>(requests));
  ProtocolChecker checker(make_config(judged));
  for (const CommandRecord& record : channel.log_) {
    checker.on_command(record);
  }
  checker.finish(channel.kernel_.now(), true);
  std::set<std::string> rules;
  for (const Violation& violation : checker.violations().first()) {
    rules.insert(violation.rule);
  }
  return rules;
}

using Rules = std::set<std::string>;

// Split into quarters so that test processes can share them.
class EveryPart : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryPart, KeepsItsRulesUnderRandomTraffic) {
  std::size_t number = 0;
  for (const DramPreset& part : dram_presets()) {
    if (number++ % 4 != GetParam()) {
      continue;
    }
    for (const char* ranks : {"1", "2"}) {
      SCOPED_TRACE(part.name);
      const Assignments assignments{
          {"nvdimm.present", "false"}, {"dram.preset", part.name}, {"dram.ranks", ranks}};
      EXPECT_EQ(rules_broken(assignments, assignments, 400), Rules{});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Part, EveryPart, ::testing::Range<std::size_t>(0, 4));

TEST(BankGroups, TheCheckerKnowsTheLongerSpacings) {
  for (const auto& [rule, cycles] :
       std::map<std::string, std::string>{{"tCCD_L", "7"}, {"tRRD_L", "7"}, {"tWTR_L", "10"}}) {
    Assignments judged = kDdr4;
    judged.emplace_back("dram.timing." + rule, cycles);  // one more than in the part
    EXPECT_EQ(rules_broken(kDdr4, judged, 5000), Rules{rule});
  }
}

}  // namespace
}  // namespace hmsim::testing
