// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of LPDDR5-6400 in BG mode (RL 17, WL 9, tRCD = tRP = 15, bursts of 32 in two
// halves): the start of WCK, split activates, interleaved bursts; and the checker's verdict on
// edited logs.
#include <gtest/gtest.h>

#include <algorithm>
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
constexpr std::int64_t kLine = 6;  // BL/n_min: two halves of 2 cycles, 2 apart

// Banks 0 to 3 form the first group, 4 to 7 the next, and so on.
const Assignments kLpddr5 = keys_from(
    "nvdimm.present=false dram.preset=lpddr5_6400_16gb_x16 dram.refresh=false "
    "controller.address_map=row|group|bank|rank|column|channel");

TEST(Lpddr5, ClosedBankHitAndConflictOfAnIdleChannel) {
  ChannelUnderTest channel(kLpddr5);
  // tRP and tRCD count to and from ACT-2; CAS precedes the read within tRCD.
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(1 + 15 + 17 + kLine));
  // WCK has stopped, so a CAS command before the column command adds a cycle to a hit.
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(1 + 17 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 2), true), Cycle(1 + 9 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(15 + 15 + 17 + kLine));
}

// Returns the cycles of two reads; the second is to an open row of another group, `distance` cycles
// after the first.
std::vector<Cycle> reads_apart(std::int64_t distance, Log* log) {
  ChannelUnderTest channel(kLpddr5);
  latency_of(channel, channel.dram(5, 0, 0));
  latency_of(channel, channel.dram(5, 4, 0));
  channel.log_.clear();
  const Cycle sent = now_of(channel);
  channel.send(kDram, channel.dram(5, 0, 1));
  channel.run_to(sent + Cycle(distance));
  channel.send(kDram, channel.dram(5, 4, 1));
  channel.run_to(sent + Cycle(200));
  *log = channel.log_;
  std::vector<Cycle> reads;
  for (const CommandRecord& record : only(channel.log_, C::read)) {
    reads.push_back(record.cycle - sent);
  }
  return reads;
}

// WCK runs from the first read, in cycle 1, to the end of its data and tWCKPST: 1 + 17 + 6 + 1.
TEST(Lpddr5, WckIsStartedOnceAndStopsAfterTheLastBurst) {
  Log log;
  EXPECT_EQ(reads_apart(25, &log), (std::vector<Cycle>{Cycle(1), Cycle(25)}));
  EXPECT_EQ(only(log, C::data_clock_start).size(), 1u);
  EXPECT_EQ(reads_apart(26, &log), (std::vector<Cycle>{Cycle(1), Cycle(27)}));
  EXPECT_EQ(only(log, C::data_clock_start).size(), 2u);
}

// A line fits into the gap of the first line or after it, but not in between.
TEST(Lpddr5, ALineOfAnotherGroupFitsIntoTheGapAtOneDistanceOnly) {
  Log log;
  EXPECT_EQ(reads_apart(0, &log).at(1), Cycle(3));
  EXPECT_EQ(reads_apart(3, &log).at(1), Cycle(3));
  for (int distance = 4; distance <= 7; ++distance) {
    EXPECT_EQ(reads_apart(distance, &log).at(1), Cycle(7)) << distance;
  }
  EXPECT_EQ(reads_apart(8, &log).at(1), Cycle(8));
}

// The data of one rank, and the postamble of WCK, end before WCK is started for the other rank.
TEST(Lpddr5, RanksShareWck) {
  ChannelUnderTest channel(with(kLpddr5, {{"dram.ranks", "2"}}));
  latency_of(channel, channel.dram(5, 0, 0, 0));
  latency_of(channel, channel.dram(5, 0, 0, 1));
  channel.log_.clear();
  const Cycle sent = now_of(channel);
  channel.send(kDram, channel.dram(5, 0, 1, 0));
  channel.send(kDram, channel.dram(5, 0, 1, 1));
  channel.run_to(sent + Cycle(200));
  const std::int64_t stops = 1 + 17 + kLine + 1;
  assert_commands(channel.log_,
                  {{C::data_clock_start, 0},
                   {C::read, 1},
                   {C::data_clock_start, stops + 1},
                   {C::read, stops + 2}},
                  sent);
}

TEST(Lpddr5, AWckThatStartsLateDelaysTheBurst) {
  ChannelUnderTest channel(
      with(kLpddr5, {{"dram.timing.tWCK_RD", "21"}, {"dram.timing.tWCK_WR", "15"}}));
  latency_of(channel, channel.dram(5, 0, 0));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(21 + kLine));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 2), true), Cycle(15 + kLine));
}

// All banks are activated before the first read: at most one activate per tRRD and four per tFAW.
// The command after an activate leaves one slot free, because an activate takes two.
TEST(Lpddr5, ActivatesTakeTwoSlotsAndTFawBindsThem) {
  ChannelUnderTest channel(
      with(kLpddr5, {{"dram.timing.tFAW", "24"}, {"dram.timing.tRCD", "120"}}));
  for (int bank = 0; bank < 16; ++bank) {
    channel.send(kDram, channel.dram(3, bank % 4 * 4 + bank / 4, 0));
  }
  channel.run_to(Cycle(400));
  const Log activates = only(channel.log_, C::activate);
  ASSERT_EQ(activates.size(), 16u);
  EXPECT_EQ(activates[1].cycle - activates[0].cycle, Cycle(4));
  EXPECT_EQ(activates[15].cycle - activates[3].cycle, Cycle(3 * 24));
  for (std::size_t i = 1; i < channel.log_.size(); ++i) {
    const std::int64_t slots = channel.log_[i - 1].command == C::activate ? 2 : 1;
    EXPECT_GE(channel.log_[i].cycle - channel.log_[i - 1].cycle, Cycle(slots));
  }
}

// Consecutive lines: two in eight cycles if groups alternate, one within a group.
TEST(Lpddr5, AStreamFillsTheBusWithTheDefaultMapOnly) {
  const auto cycles_of = [](const char* map) {
    Assignments assignments = kLpddr5;
    assignments.back().second = map;
    ChannelUnderTest channel(assignments);
    for (int line = 0; line < 24; ++line) {
      channel.send(kDram, Address(line * kLineBytes.value()));
    }
    channel.drain();
    const Log reads = only(channel.log_, C::read);
    return reads.at(23).cycle - reads.at(3).cycle;
  };
  EXPECT_EQ(cycles_of("row|bank|rank|column|group|channel"), Cycle(20 * 4));
  EXPECT_EQ(cycles_of("row|group|bank|rank|column|channel"), Cycle(20 * 8));
}

// One REFpb every tREFI/8, of banks 0 and 8, 1 and 9, and so on. ACT-2 of these two cannot follow
// for 112 cycles, of all others for 6.
TEST(Lpddr5, APerBankRefreshIsOfAPairOfBanks) {
  Assignments assignments = kLpddr5;
  assignments[2].second = "true";
  assignments.emplace_back("dram.refresh_mode", "same_bank");
  expect_refreshes_in_turn(assignments, 3124, 8, 3, {{0, 111}, {8, 111}, {1, 5}, {4, 5}});
}

TEST(Lpddr5, TheGapFromReadToWriteIsTwckdqo) {
  const Assignments slow = with(kLpddr5, {{"dram.preset", "lpddr5_4267_16gb_x16"}});
  EXPECT_EQ(make_config(slow).dram.timing.trtrs, 1);  // RU(1.6 ns / 1.875 ns)
  EXPECT_EQ(make_config(kLpddr5).dram.timing.trtrs, 2);
}

TEST(Lpddr5, FeaturesThatAreNotModelledAreRejected) {
  const auto with_one = [](const char* name, const char* value) {
    return with(kLpddr5, {{name, value}});
  };
  EXPECT_NO_THROW(make_config(with_one("dram.ranks", "2")));
  EXPECT_THROW(make_config(with_one("nvdimm.present", "true")), InputError);
  EXPECT_THROW(make_config(with_one("dram.power_down", "fast")), InputError);
  EXPECT_THROW(make_config(with_one("dram.self_refresh", "true")), InputError);
  EXPECT_THROW(make_config(with(with_one("dram.refresh_mode", "same_bank"),
                                {{"dram.refresh_postpone", "1"}})),
               InputError);
  EXPECT_THROW(make_config(with_one("dram.timing.tWCK_RD", "60")), InputError);
  // Not a parameter of DDR3.
  EXPECT_THROW(make_config({{"dram.timing.tWCK_RD", "18"}}), InputError);
}

// A log of random traffic, edited at the first matching command after its middle. Yields the rules
// that the edited log breaks.
class EditedLog {
 public:
  EditedLog() {
    ChannelUnderTest channel(kLpddr5);
    RandomTraffic traffic(channel, 3);
    for (Cycle now{0}; now < Cycle(8'000);) {
      traffic.burst();
      now += traffic.pause();
      channel.run_to(now);
    }
    channel.drain();
    log_ = channel.log_;
  }

  Log& log() { return log_; }
  std::size_t find(C command, std::size_t from) const {
    const auto found =
        std::find_if(log_.begin() + static_cast<std::ptrdiff_t>(from), log_.end(),
                     [command](const CommandRecord& each) { return each.command == command; });
    return static_cast<std::size_t>(found - log_.begin());
  }
  std::size_t find(C command) const { return find(command, log_.size() / 2); }
  void erase(std::size_t index) { log_.erase(log_.begin() + static_cast<std::ptrdiff_t>(index)); }

  bool breaks(const std::string& rule) const {
    const std::vector<Violation> found = violations();
    return std::any_of(found.begin(), found.end(),
                       [&rule](const Violation& each) { return each.rule == rule; });
  }
  std::vector<Violation> violations() const {
    ProtocolChecker checker(make_config(kLpddr5));
    for (const CommandRecord& record : log_) {
      checker.on_command(record);
    }
    return checker.violations().first();
  }

 private:
  Log log_;
};

TEST(Lpddr5, TheCheckerKnowsWhenWckMustBeStarted) {
  EditedLog whole;
  EXPECT_TRUE(whole.violations().empty());
  const std::size_t start = whole.find(C::data_clock_start);
  EditedLog without = whole;
  without.erase(start);
  EXPECT_TRUE(without.breaks("data clock stopped"));
  EditedLog twice = whole;
  twice.log().insert(twice.log().begin() + static_cast<std::ptrdiff_t>(start), whole.log()[start]);
  EXPECT_TRUE(twice.breaks("data clock started twice"));
  EditedLog late = whole;
  ++late.log()[start].cycle;
  EXPECT_TRUE(late.breaks("tWCK_RD") || late.breaks("tWCK_WR"));
  EditedLog needless = whole;
  CommandRecord again = whole.log()[start];
  again.cycle = whole.log()[start + 1].cycle + Cycle(1);
  needless.log().insert(needless.log().begin() + static_cast<std::ptrdiff_t>(start + 2), again);
  EXPECT_TRUE(needless.breaks("data clock runs"));
}

TEST(Lpddr5, TheCheckerKnowsTheSlotOfAct2) {
  EditedLog edited;
  const std::size_t activate = edited.find(C::activate);
  CommandRecord next = edited.log()[edited.find(C::precharge)];
  next.cycle = edited.log()[activate].cycle + Cycle(1);
  edited.log().insert(edited.log().begin() + static_cast<std::ptrdiff_t>(activate + 1), next);
  EXPECT_TRUE(edited.breaks("command bus"));
}

TEST(Lpddr5, TheCheckerKnowsTheSlotsOfTheHalvesOfLines) {
  for (std::int64_t distance = 1; distance < 9; ++distance) {
    ProtocolChecker checker(make_config(kLpddr5));
    Log log{{Cycle(0), C::activate, 0, 0, 0, 1, -1},
            {Cycle(4), C::activate, 0, 0, 4, 1, -1},
            {Cycle(40), C::data_clock_start, 0, 0, -1, -1, -1},
            {Cycle(41), C::read, 0, 0, 0, 1, 0},
            {Cycle(41 + distance), C::read, 0, 0, 4, 1, 1}};
    for (const CommandRecord& record : log) {
      checker.on_command(record);
    }
    const bool fits = distance == 2 || distance >= 6;
    EXPECT_EQ(checker.violations().total() == 0, fits) << distance;
    if (!fits && distance > 1) {
      EXPECT_EQ(checker.violations().first().front().rule, "data bus");
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
