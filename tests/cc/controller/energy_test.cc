// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of DRAM energy: 8 devices of DDR3-1600 4 Gb x8 per rank, 1.35 V, with the currents
// of DRAMsim3's DDR3_4Gb_x8_1600.ini.
#include "dram/energy.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "dram/presets.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/dram/standards.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
constexpr auto kDram = MemoryClass::dram;

constexpr double kVdd = 1.35;
constexpr double kDevices = 8;
constexpr double kCycle = 1.25e-9;
constexpr double kMilli = 1e-3;
constexpr double kIdd0 = 55 * kMilli;
constexpr double kIdd2n = 32 * kMilli;
constexpr double kIdd2p = 18 * kMilli;
constexpr double kIdd3n = 38 * kMilli;
constexpr double kIdd4r = 157 * kMilli;
constexpr double kIdd4w = 125 * kMilli;
constexpr double kIdd5 = 235 * kMilli;
constexpr double kIdd6 = 20 * kMilli;
constexpr double kTras = 28;
constexpr double kTrp = 11;
constexpr double kTrfc = 208;

// Returns the energy of a current in all devices of a rank over `cycles` cycles.
constexpr double joules(double amperes, double cycles) {
  return kVdd * amperes * kDevices * cycles * kCycle;
}

// As in DRAMsim3's configuration.cc (whose tRC is tRAS + tRP).
constexpr double kActivate =
    joules(kIdd0, kTras + kTrp) - joules(kIdd3n, kTras) - joules(kIdd2n, kTrp);
constexpr double kRead = joules(kIdd4r - kIdd3n, 4);
constexpr double kWrite = joules(kIdd4w - kIdd3n, 4);
constexpr double kRefresh = joules(kIdd5 - kIdd3n, kTrfc);

constexpr std::int64_t kMillisecondCycles = 800'000;  // cycles in a millisecond

Assignments part(const Assignments& more) {
  return with({{"nvdimm.present", "false"}, {"dram.preset", "ddr3_1600k_4gb_x8"}}, more);
}

const Assignments kNoRefresh{{"dram.refresh", "false"}};

DramEnergy energy(ChannelUnderTest& channel, std::int64_t cycle, int rank = 0) {
  return channel.channel_.meters().energy->energy(rank, Cycle(cycle));
}

void expect_equal(double got, double expected) { EXPECT_NEAR(got, expected, 1e-9 * expected); }

TEST(DramEnergy, AnIdleRankDrawsPrechargedStandby) {
  ChannelUnderTest channel(part(kNoRefresh));
  channel.run_to(Cycle(kMillisecondCycles));
  expect_equal(energy(channel, kMillisecondCycles).total(), joules(kIdd2n, kMillisecondCycles));
  expect_equal(energy(channel, kMillisecondCycles).precharged_standby,
               kVdd * kIdd2n * kDevices * 1e-3);
}

TEST(DramEnergy, RefreshesDrawTheirCurrent) {
  ChannelUnderTest channel(part({}));
  channel.run_to(Cycle(kMillisecondCycles));
  const double refreshes = 128;  // T / tREFI
  ASSERT_EQ(only(channel.log_, C::refresh).size(), 128u);
  const DramEnergy got = energy(channel, kMillisecondCycles);
  expect_equal(got.refresh, refreshes * kRefresh);
  expect_equal(got.active_standby, joules(kIdd3n, refreshes * kTrfc));
  expect_equal(got.precharged_standby, joules(kIdd2n, kMillisecondCycles - refreshes * kTrfc));
  EXPECT_EQ(got.activate + got.read + got.write + got.power_down + got.self_refresh, 0);
}

// Rows of one bank, one after another: each is active from its activate to its precharge.
TEST(DramEnergy, AnActivateDrawsActiveStandbyUntilItsPrecharge) {
  ChannelUnderTest channel(part(kNoRefresh));
  constexpr int kRows = 100;
  for (int row = 0; row < kRows; ++row) {
    channel.send(kDram, channel.dram(row, 0, 0), row % 2 == 1);
  }
  channel.run_to(Cycle(20'000));
  const auto activates = only(channel.log_, C::activate);
  const auto precharges = only(channel.log_, C::precharge);
  ASSERT_EQ(activates.size(), kRows);
  ASSERT_EQ(precharges.size(), kRows - 1u);
  double open = static_cast<double>(20'000 - activates.back().cycle.value());
  for (std::size_t i = 0; i < precharges.size(); ++i) {
    open += static_cast<double>((precharges[i].cycle - activates[i].cycle).value());
  }
  const DramEnergy got = energy(channel, 20'000);
  expect_equal(got.activate, kRows * kActivate);
  constexpr int kHalf = kRows / 2;
  expect_equal(got.read, kHalf * kRead);
  expect_equal(got.write, kHalf * kWrite);
  expect_equal(got.active_standby, joules(kIdd3n, open));
  expect_equal(got.precharged_standby, joules(kIdd2n, 20'000 - open));
}

// Reads without a gap: IDD4R flows all the time.
TEST(DramEnergy, ASaturatedStreamDrawsReadCurrentAllTheTime) {
  ChannelUnderTest channel(part(kNoRefresh));
  std::int64_t column = 0;
  const auto next = [&] { channel.send(kDram, channel.dram(0, 0, column++ % 128)); };
  channel.on_done = [&](const Request&) { next(); };
  for (int i = 0; i < 16; ++i) {
    next();
  }
  constexpr std::int64_t kBegin = 1011;  // cycle of a read command
  channel.run_to(Cycle(kBegin - 1));
  channel.channel_.reset_statistics(Tick((kBegin - 1) * 1250));
  channel.run_to(Cycle(kBegin - 1 + 4000));
  const DramEnergy got = energy(channel, kBegin - 1 + 4000);
  expect_equal(got.read, 1000 * kRead);
  expect_equal(got.total(), joules(kIdd4r, 4000));
}

// With the same current in all states, the background energy is that current over the whole time,
// so no cycle is counted twice or missed.
TEST(DramEnergy, EveryCycleIsInOneState) {
  ChannelUnderTest channel(part(keys_from(
      "dram.ranks=2 dram.power_down=fast dram.self_refresh=true dram.self_refresh_idle=3us "
      "dram.power.IDD0=30mA dram.power.IDD2N=30mA dram.power.IDD2P=30mA dram.power.IDD3N=30mA "
      "dram.power.IDD6=0.03A dram.power.VDD=1500mV")));
  Random random(3);
  std::int64_t now = 0;
  while (now < 200'000) {
    channel.send(kDram,
                 channel.dram(static_cast<std::int64_t>(random.below(9)),
                              static_cast<std::int64_t>(random.below(8)), 0,
                              static_cast<std::int64_t>(random.below(2))),
                 random.below(2) == 0);
    now += static_cast<std::int64_t>(random.below(random.below(8) == 0 ? 8000 : 100));
    channel.run_to(Cycle(now));
  }
  for (int rank = 0; rank < 2; ++rank) {
    const DramEnergy got = energy(channel, now, rank);
    EXPECT_GT(got.active_standby, 0);
    EXPECT_GT(got.precharged_standby, 0);
    EXPECT_GT(got.power_down, 0);
    EXPECT_GT(got.self_refresh, 0);
    expect_equal(got.background() + got.power_down + got.self_refresh,
                 1.5 * 0.03 * kDevices * static_cast<double>(now) * kCycle);
  }
}

TEST(DramEnergy, SleepingRanksDrawSleepCurrents) {
  ChannelUnderTest down(part(
      {{"dram.power_down", "fast"}, {"dram.power_down_idle", "1us"}, {"dram.refresh", "false"}}));
  down.run_to(Cycle(kMillisecondCycles));
  expect_equal(energy(down, kMillisecondCycles).precharged_standby, joules(kIdd2n, 800));
  expect_equal(energy(down, kMillisecondCycles).power_down,
               joules(kIdd2p, kMillisecondCycles - 800));
  ChannelUnderTest refreshing(
      part({{"dram.self_refresh", "true"}, {"dram.self_refresh_idle", "1us"}}));
  refreshing.run_to(Cycle(kMillisecondCycles));
  expect_equal(energy(refreshing, kMillisecondCycles).self_refresh,
               joules(kIdd6, kMillisecondCycles - 800));
}

TEST(DramEnergy, SameBankRefreshesDrawTheirCurrent) {
  ChannelUnderTest channel(
      keys_from("nvdimm.present=false dram.preset=ddr5_4800b_16gb_x8 dram.refresh_mode=same_bank "
                "dram.power.VDD=1.1V dram.power.IDD3N=100mA dram.power.IDD5C=150mA"));
  channel.run_to(Cycle(100 * 1171));
  const DramEnergy got = energy(channel, 100 * 1171);
  expect_equal(got.refresh, 100 * 1.1 * 0.05 * 4 * 312 * 416e-12);
}

TEST(DramEnergy, CurrentsThatMakeItNegativeAreRejected) {
  for (const char* name : {"IDD0", "IDD4R", "IDD4W", "IDD5"}) {
    EXPECT_THROW(make_config(part({{std::string("dram.power.") + name, "20mA"}})), InputError);
  }
  EXPECT_THROW(make_config(part({{"dram.power.IDD0", "20"}})), InputError);
  EXPECT_THROW(make_config(part({{"dram.power.IDD0", "20mV"}})), InputError);
  EXPECT_THROW(make_config(part({{"dram.power.VDD", "20V"}})), InputError);
}

TEST(DramPower, IsOfThePartOrTheNearestOne) {
  const PowerSource exact = typical_power(standard("ddr4"), 2400, 8192, 8);
  EXPECT_TRUE(exact.exact);
  EXPECT_EQ(exact.power.idd0, 48'000);
  EXPECT_EQ(exact.power.idd4r, 135'000);
  EXPECT_EQ(exact.power.vdd, 1'200'000);
  const PowerSource denser = typical_power(standard("ddr4"), 3200, 16384, 4);
  EXPECT_FALSE(denser.exact);
  EXPECT_EQ(denser.power.idd0, 52'000);  // 8 Gb x4 at 3200 MT/s
  EXPECT_FALSE(typical_power(standard("ddr5"), 4800, 16384, 8).exact);
  const DramPreset paper = dram_preset("table3");
  EXPECT_EQ(paper.power.idd0, 95'000);
  EXPECT_EQ(paper.organisation.devices, 16);
}

}  // namespace
}  // namespace hmsim::testing
