// SPDX-License-Identifier: BSD-3-Clause
// Power-down and self-refresh: when ranks enter them, what waking up costs, and refreshes in them.
// The preset is DDR3-1600: tCKE 4, tXP 5, tCKESR 5, tXS 96, tXSDLL 512, tREFI 6240.
#include <gtest/gtest.h>

#include "controller/channel/native_banks.h"
#include "controller/channel/power_control.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
constexpr auto kDram = MemoryClass::dram;
constexpr std::int64_t kInterval = 6240;
constexpr Cycle kClosedBankRead{11 + 11 + 4};

// The idle times are 80 and 800 clock cycles of 1.25 ns.
const Assignments kPowerDown{
    {"nvdimm.present", "false"}, {"dram.power_down", "fast"}, {"dram.power_down_idle", "100ns"}};
const Assignments kSelfRefresh{
    {"nvdimm.present", "false"}, {"dram.self_refresh", "true"}, {"dram.self_refresh_idle", "1us"}};

TEST(PowerDown, IsEnteredAfterTheIdleTimeWithRowsClosed) {
  ChannelUnderTest channel(kPowerDown);
  channel.run_to(Cycle(1));
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(1000));
  assert_commands(channel.log_, {{C::activate, 1},
                                 {C::read, 1 + 11},
                                 {C::precharge, 1 + 11 + 80},
                                 {C::power_down_enter, 1 + 11 + 80 + 1}});
}

// tRAS = 28 after the activate, later than one cycle after the read.
TEST(PowerDown, RowsAreClosedAsSoonAsTheyMayBe) {
  ChannelUnderTest channel(with(kPowerDown, {{"dram.power_down_idle", "1250ps"}}));
  channel.run_to(Cycle(100));
  channel.log_.clear();
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(200));
  assert_commands(channel.log_,
                  {{C::power_down_exit, 0},
                   {C::activate, 5},
                   {C::read, 5 + 11},
                   {C::precharge, 5 + 28},
                   {C::power_down_enter, 5 + 28 + 1}},
                  Cycle(100));
}

// tRTP = 6 after the last of ten reads of a row that was activated long before.
TEST(PowerDown, RowsOpenForLongAreClosedTrtpAfterTheirLastRead) {
  ChannelUnderTest channel(with(kPowerDown, {{"dram.power_down_idle", "1250ps"}}));
  channel.run_to(Cycle(100));
  for (int column = 0; column < 10; ++column) {
    channel.send(kDram, channel.dram(1, 0, column));
  }
  channel.run_to(Cycle(300));
  constexpr std::int64_t kLast = 100 + 5 + 11 + 9 * 4;
  EXPECT_EQ(only(channel.log_, C::read).back().cycle, Cycle(kLast));
  ASSERT_EQ(only(channel.log_, C::precharge).size(), 1u);
  EXPECT_EQ(only(channel.log_, C::precharge).at(0).cycle, Cycle(kLast + 6));
}

TEST(PowerDown, AReadOfASleepingRankTakesTxpMore) {
  ChannelUnderTest channel(kPowerDown);
  channel.run_to(Cycle(500));
  ASSERT_EQ(only(channel.log_, C::power_down_enter).at(0).cycle, Cycle(80));
  const std::uint64_t id = channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(600));
  EXPECT_EQ(channel.finished_.at(id), Cycle(500 + 5) + kClosedBankRead);
}

TEST(PowerDown, LastsForTckeAtLeast) {
  ChannelUnderTest channel(kPowerDown);
  channel.run_to(Cycle(81));
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(100));
  EXPECT_EQ(only(channel.log_, C::power_down_exit).at(0).cycle, Cycle(84));
}

TEST(PowerDown, EndsForEachRefresh) {
  ChannelUnderTest channel(kPowerDown);
  channel.run_to(Cycle(10 * kInterval + 1000));
  const auto refreshes = only(channel.log_, C::refresh);
  const auto exits = only(channel.log_, C::power_down_exit);
  const auto entries = only(channel.log_, C::power_down_enter);
  ASSERT_EQ(refreshes.size(), 10u);
  ASSERT_EQ(exits.size(), 10u);
  ASSERT_EQ(entries.size(), 11u);
  for (std::size_t i = 0; i < refreshes.size(); ++i) {
    const Cycle due(static_cast<std::int64_t>(i + 1) * kInterval);
    EXPECT_EQ(exits[i].cycle, due);
    EXPECT_EQ(refreshes[i].cycle, due + Cycle(5));
    EXPECT_EQ(entries[i + 1].cycle, due + Cycle(6));
  }
}

TEST(PowerDown, IsOfTheIdleRankOnly) {
  ChannelUnderTest channel(with(kPowerDown, {{"dram.ranks", "2"}}));
  std::int64_t column = 0;
  const auto next = [&] { channel.send(kDram, channel.dram(1, 0, column++ % 256, 1)); };
  channel.on_done = [&](const Request&) { next(); };
  next();
  next();
  channel.run_to(Cycle(2000));
  EXPECT_EQ(only(channel.log_, C::power_down_enter, 0).size(), 1u);
  EXPECT_EQ(only(channel.log_, C::power_down_enter, 1).size(), 0u);
}

TEST(SelfRefresh, HasNoRefreshesAndEndsForARequest) {
  ChannelUnderTest channel(kSelfRefresh);
  const Cycle woken(100 * kInterval);
  channel.run_to(woken);
  ASSERT_EQ(channel.log_.size(), 1u);
  EXPECT_EQ(channel.log_[0].command, C::self_refresh_enter);
  EXPECT_EQ(channel.log_[0].cycle, Cycle(800));
  const std::uint64_t read = channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(woken + Cycle(1000));
  EXPECT_EQ(only(channel.log_, C::self_refresh_exit).at(0).cycle, woken);
  EXPECT_EQ(only(channel.log_, C::activate).at(0).cycle, woken + Cycle(96));
  EXPECT_EQ(channel.finished_.at(read), woken + Cycle(512 + 11 + 4));
}

TEST(SelfRefresh, IsEnteredAgainAfterARefreshOnly) {
  ChannelUnderTest channel(kSelfRefresh);
  const Cycle woken(2000);
  channel.run_to(woken);
  channel.send(kDram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(4 * kInterval));
  const auto refreshes = only(channel.log_, C::refresh);
  const auto entries = only(channel.log_, C::self_refresh_enter);
  ASSERT_EQ(refreshes.size(), 1u);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_GE(refreshes[0].cycle, woken + Cycle(kInterval));
  EXPECT_EQ(entries[1].cycle, refreshes[0].cycle + Cycle(88));  // tRFC
}

TEST(SelfRefresh, FollowsPowerDown) {
  ChannelUnderTest channel(with(kSelfRefresh, kPowerDown));
  channel.run_to(Cycle(3 * kInterval));
  std::vector<C> commands;
  for (const CommandRecord& record : channel.log_) {
    commands.push_back(record.command);
  }
  EXPECT_EQ(commands,
            (std::vector<C>{C::power_down_enter, C::power_down_exit, C::self_refresh_enter}));
  EXPECT_EQ(channel.log_[1].cycle, Cycle(800));
  EXPECT_EQ(channel.log_[2].cycle, Cycle(805));
}

// The idle time of power-down exceeds that of self-refresh, so no step follows self-refresh.
TEST(Sleep, HasNoStepAheadInSelfRefresh) {
  DramParameters dram;
  dram.power_down = PowerDown::fast;
  dram.power_down_idle = kMicrosecond;
  dram.self_refresh = true;
  dram.self_refresh_idle = 100 * kNanosecond;
  dram.resolve();
  TransactionPool pool(1);
  TimingEngine engine{timing_rules(dram), static_cast<int>(dram.ranks) + 1,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks)};
  NativeBanks banks(dram, engine, pool);
  RefreshControl refresh(dram, engine, banks);
  PowerControl control(dram, engine, banks, refresh);
  constexpr Cycle kIdle{80};
  EXPECT_EQ(control.next(Cycle(0)), kIdle);
  const PowerStep step = control.sleep_step(kIdle);
  ASSERT_TRUE(step.present());
  ASSERT_EQ(step.command, Command::self_refresh_enter);
  control.done(step, kIdle);
  for (Cycle soonest = kIdle + Cycle(1); soonest < 20 * kIdle; ++soonest) {
    EXPECT_EQ(control.next(soonest), kNeverCycle) << soonest.value();
    EXPECT_FALSE(control.sleep_step(soonest).present()) << soonest.value();
  }
}

TEST(Sleep, IsRejectedIfUnsupported) {
  EXPECT_THROW(make_config(with(kSelfRefresh, {{"dram.refresh", "false"}})), InputError);
  EXPECT_THROW(make_config(with(kSelfRefresh, {{"dram.preset", "ddr5_4800b_16gb_x8"},
                                               {"dram.refresh_mode", "same_bank"}})),
               InputError);
  EXPECT_THROW(make_config(with(kPowerDown, {{"dram.backend", "dramsim3"}})), InputError);
}

// Rules that the checker reports for logs that only the power modes make invalid.
TEST(ProtocolChecker, NamesTheRulesThatSleepBreaks) {
  const auto rules_broken = [](const std::vector<CommandRecord>& log) {
    ProtocolChecker checker(make_config(kSelfRefresh));
    for (const CommandRecord& record : log) {
      checker.on_command(record);
    }
    std::vector<std::string> rules;
    for (const Violation& violation : checker.violations().first()) {
      rules.push_back(violation.rule);
    }
    return rules;
  };
  using Rules = std::vector<std::string>;
  const auto at = [](std::int64_t cycle, C command, int bank = -1) {
    return CommandRecord{Cycle(cycle), command, 0, 0, bank, bank < 0 ? -1 : 1, -1};
  };
  EXPECT_EQ(rules_broken({at(10, C::power_down_enter), at(20, C::power_down_exit)}), Rules{});
  EXPECT_EQ(rules_broken({at(10, C::power_down_enter), at(20, C::activate, 0)}), Rules{"asleep"});
  EXPECT_EQ(rules_broken({at(10, C::power_down_enter), at(20, C::refresh)}), Rules{"asleep"});
  EXPECT_EQ(rules_broken({at(10, C::power_down_enter), at(20, C::self_refresh_exit)}),
            Rules{"not asleep"});
  EXPECT_EQ(rules_broken({at(10, C::power_down_exit)}), Rules{"not asleep"});
  EXPECT_EQ(rules_broken({at(10, C::activate, 0), at(100, C::power_down_enter)}),
            Rules{"sleep with open bank"});
  EXPECT_EQ(rules_broken({at(10, C::self_refresh_enter), at(20, C::self_refresh_exit),
                          at(200, C::self_refresh_enter)}),
            Rules{"refresh before self-refresh"});
  // Ten intervals asleep: self-refresh includes refreshes, power-down does not.
  EXPECT_EQ(rules_broken({at(10, C::self_refresh_enter), at(10 * kInterval, C::self_refresh_exit),
                          at(11 * kInterval, C::refresh)}),
            Rules{});
  EXPECT_EQ(rules_broken({at(10, C::power_down_enter), at(10 * kInterval, C::power_down_exit),
                          at(11 * kInterval, C::refresh)}),
            (Rules{"refresh interval", "refresh count"}));
}

}  // namespace
}  // namespace hmsim::testing
