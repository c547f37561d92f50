// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of DDR3-1600 11-11-11 (docs/trust.md): unloaded latencies, refresh, and
// bandwidth limits.
#include <gtest/gtest.h>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/one_request.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
constexpr auto kDram = MemoryClass::dram;

TEST(DramLatency, ClosedBankHitAndConflict) {
  ChannelUnderTest channel(kDramOnly);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(26));  // ACT 11, CL 11, burst 4
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(15));  // CL 11, burst 4
  // PRE 11, then as for a closed bank.
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(37));
}

TEST(DramLatency, WriteHitTakesCwlAndBurst) {
  ChannelUnderTest table3(kDramOnly);
  latency_of(table3, table3.dram(5, 0, 0));
  EXPECT_EQ(latency_of(table3, table3.dram(5, 0, 1), true), Cycle(10 + 4));
  ChannelUnderTest jedec({{"nvdimm.present", "false"}, {"dram.preset", "ddr3_1600_8gb_x8"}});
  latency_of(jedec, jedec.dram(5, 0, 0));
  EXPECT_EQ(latency_of(jedec, jedec.dram(5, 0, 1), true), Cycle(8 + 4));
}

// A register delays data as much as commands; spacings of commands remain.
TEST(DramLatency, ARegisterAddsItsCyclesToEachRequest) {
  for (const std::int64_t delay : {0, 1, 3}) {
    const Assignments registered{{"dram.register_delay", std::to_string(delay)}};
    ChannelUnderTest channel(with(kDramOnly, registered));
    EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(26 + delay));
    EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(15 + delay));
    EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(37 + delay));
    EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 1), true), Cycle(14 + delay));
    ChannelUnderTest busy(with(kDramOnly, registered));
    for (int column = 0; column < 8; ++column) {
      busy.send(kDram, busy.dram(5, 0, column));
    }
    busy.run_to(Cycle(200));
    EXPECT_EQ(busy.finished_.at(7), Cycle(26 + 7 * 4 + delay)) << "bursts follow without a gap";
  }
}

// With 2N each command takes two cycles, of which the second reaches the chips. Data follow without
// a gap as long as a line needs less than two commands.
TEST(DramLatency, TwoCyclesACommandAddOneToEachRequest) {
  const Assignments slow = with(kDramOnly, {{"dram.command_rate", "2N"}});
  ChannelUnderTest channel(slow);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(26 + 1));
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(15 + 1));
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(37 + 1));
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 1), true), Cycle(14 + 1));
  ChannelUnderTest busy(slow);
  for (int column = 0; column < 8; ++column) {
    busy.send(kDram, busy.dram(5, 0, column));
  }
  busy.run_to(Cycle(200));
  EXPECT_EQ(busy.finished_.at(7), Cycle(26 + 7 * 4 + 1));
}

// Lines of different rows need PRE, ACT and RD each: three slots of one or two cycles. With one the
// data bus binds, 4 cycles a line; with two the command bus, 6 cycles a line.
TEST(DramLatency, TheCommandBusBoundsRowMissesWithTwoCyclesACommand) {
  for (const auto& [rate, cycles] : {std::pair("1N", 4), std::pair("2N", 6)}) {
    ChannelUnderTest channel(with(kDramOnly, {{"dram.command_rate", rate},
                                              {"dram.timing.tRCD", "4"},
                                              {"dram.timing.tRP", "4"},
                                              {"dram.timing.tRAS", "8"},
                                              {"dram.timing.tRC", "12"},
                                              {"dram.timing.tRRD", "2"},
                                              {"dram.timing.tFAW", "8"},
                                              {"dram.timing.tRTP", "2"},
                                              {"dram.refresh", "false"}}));
    constexpr int kLines = 128;
    for (int line = 0; line < kLines; ++line) {
      channel.send(kDram, channel.dram(line / 8, line % 8, 0));
    }
    channel.drain();
    const Cycle first = channel.finished_.at(0);
    const Cycle last = channel.finished_.at(kLines - 1);
    EXPECT_NEAR(static_cast<double>((last - first).value()) / (kLines - 1), cycles, 0.03 * cycles);
    // The first eight lines find their banks closed.
    const std::int64_t slots = 3 * kLines - 8;
    EXPECT_EQ(channel.log_.size(), static_cast<std::size_t>(slots));
    EXPECT_GE(last, Cycle((std::string(rate) == "2N" ? 2 : 1) * (slots - 1) + 11 + 4));
  }
}

// Without an NVDIMM every command takes the bus, so the log alone shows the least distance: with 2N
// two cycles, whichever part of the controller issues the commands.
TEST(DramLatency, CommandsAreTwoCyclesApartWithTwoCyclesACommand) {
  const char* const ddr5 = "ddr5_4800b_16gb_x8";
  const std::vector<Assignments> modes{
      {},
      {{"dram.refresh_postpone", "3"}, {"dram.refresh_pull_in", "2"}},
      {{"dram.power_down", "fast"}, {"dram.power_down_idle", "20ns"}},
      {{"dram.self_refresh", "true"}, {"dram.self_refresh_idle", "500ns"}},
      {{"dram.preset", ddr5}, {"dram.refresh_mode", "same_bank"}},
      {{"dram.preset", ddr5}, {"dram.refresh_management", "true"}, {"dram.RAAIMT", "16"}}};
  for (const std::string& policy : policy_names(PolicyKind::page_policy)) {
    for (const Assignments& mode : modes) {
      for (const auto& [rate, cycles] : {std::pair("1N", 1), std::pair("2N", 2)}) {
        SCOPED_TRACE(policy + ", " + (mode.empty() ? "" : mode.back().first) + ", " + rate);
        ChannelUnderTest channel(with(with(kDramOnly, mode), {{"controller.page_policy", policy},
                                                              {"dram.command_rate", rate},
                                                              {"dram.ranks", "2"}}));
        RandomTraffic traffic(channel, 1);
        traffic.run(400);
        channel.drain();
        Cycle least = kNeverCycle;
        for (std::size_t i = 1; i < channel.log_.size(); ++i) {
          least = earlier(least, channel.log_[i].cycle - channel.log_[i - 1].cycle);
        }
        EXPECT_EQ(least, Cycle(cycles));
      }
    }
  }
}

// Reads of ranks in turn, in order of arrival: a burst and tRTRS apart within a DIMM, a burst and
// tRTRS_dimm between DIMMs.
TEST(DramLatency, AnotherDimmNeedsALongerGap) {
  ChannelUnderTest channel(with(
      kDramOnly,
      keys_from("dram.ranks=4 dram.ranks_per_dimm=2 dram.timing.tRTRS=2 dram.timing.tRTRS_dimm=5 "
                "controller.scheduler=fcfs_strict dram.refresh=false")));
  for (int rank = 0; rank < 4; ++rank) {
    latency_of(channel, channel.dram(5, 0, 0, rank));
  }
  const std::uint64_t first = channel.next_id_;
  const std::vector<int> ranks{0, 1, 2, 3, 1, 1, 0};
  for (const int rank : ranks) {
    channel.send(kDram, channel.dram(5, 0, 1, rank));
  }
  channel.drain();
  const std::vector<int> gaps{2, 5, 2, 5, 0, 2};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    EXPECT_EQ(channel.finished_.at(first + i + 1) - channel.finished_.at(first + i),
              Cycle(4 + gaps[i]))
        << i;
  }
}

TEST(DramLatency, RejectsCommandRatesAndDimmsThatDoNotExist) {
  for (const char* part : {"lpddr5_6400_16gb_x16", "hbm3_6400_4h_2gb_x32"}) {
    const Assignments other = with(kDramOnly, {{"dram.preset", part}});
    EXPECT_THROW(make_config(with(other, {{"dram.command_rate", "2N"}})), InputError) << part;
    EXPECT_THROW(make_config(with(other, {{"dram.timing.tRTRS_dimm", "9"}})), InputError) << part;
  }
  EXPECT_THROW(make_config({{"dram.ranks", "4"}, {"dram.ranks_per_dimm", "3"}}), InputError);
  EXPECT_THROW(make_config({{"dram.ranks", "2"}, {"dram.ranks_per_dimm", "4"}}), InputError);
  EXPECT_THROW(make_config({{"dram.timing.tRTRS_dimm", "0"}}), InputError);
}

TEST(DramLatency, RequestBetweenEdgesWaitsForTheNext) {
  ChannelUnderTest channel(kDramOnly);
  channel.kernel_.run_until(Tick(1251));  // one picosecond after edge 1
  const std::uint64_t id = channel.send(kDram, channel.dram(0, 0, 0));
  channel.run_to(Cycle(100));
  EXPECT_EQ(channel.finished_.at(id), Cycle(2 + 26));
}

TEST(DramRefresh, OncePerIntervalAndRank) {
  for (const char* ranks : {"1", "2", "4"}) {
    ChannelUnderTest channel({{"nvdimm.present", "false"}, {"dram.ranks", ranks}});
    channel.run_to(Cycle(6240 * 50 + 100));
    for (int rank = 0; rank < std::stoi(ranks); ++rank) {
      EXPECT_EQ(only(channel.log_, C::refresh, rank).size(), 50u) << "rank " << rank;
    }
    EXPECT_EQ(channel.log_.size(), 50u * static_cast<std::size_t>(std::stoi(ranks)));
  }
}

// Keeps `depth` reads outstanding to consecutive lines of one row.
class Stream {
 public:
  Stream(ChannelUnderTest& channel, int depth) : channel_(channel) {
    channel.on_done = [this](const Request&) { next(); };
    for (int i = 0; i < depth; ++i) {
      next();
    }
  }

 private:
  void next() { channel_.send(kDram, channel_.dram(1, 0, column_++ % 256)); }
  ChannelUnderTest& channel_;
  std::int64_t column_ = 0;
};

TEST(DramRefresh, SingleRankStreamLoses112CyclesToEach) {
  // tRTP + tRP + tRFC + tRCD - tCCD = 6 + 11 + 88 + 11 - 4 = 112 (docs/trust.md).
  ChannelUnderTest channel(kDramOnly);
  Stream stream(channel, 16);
  channel.run_to(Cycle(6240 * 100));
  const auto reads = only(channel.log_, C::read);
  ASSERT_EQ(only(channel.log_, C::refresh).size(), 99u);
  int gaps = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    const std::int64_t gap = (reads[i].cycle - reads[i - 1].cycle).value();
    if (gap != 4) {
      ++gaps;
      EXPECT_GE(gap, 112 + 4 - 3);  // the refresh is due up to three cycles before a read
      EXPECT_LE(gap, 112 + 4);
    }
  }
  EXPECT_EQ(gaps, 99);
  const double expected = 6240.0 * 100 * (6240 - 112) / 6240 / 4;
  EXPECT_NEAR(static_cast<double>(reads.size()), expected, 0.0005 * expected);
}

TEST(DramTiming, FourActivatesPerWindow) {
  ChannelUnderTest channel(kDramOnly);
  for (int bank = 0; bank < 8; ++bank) {
    channel.send(kDram, channel.dram(3, bank, 0));
  }
  channel.run_to(Cycle(200));
  const auto activates = only(channel.log_, C::activate);
  ASSERT_EQ(activates.size(), 8u);
  assert_gap(activates, 0, 1, 5);   // tRRD
  assert_gap(activates, 0, 4, 24);  // tFAW
}

}  // namespace
}  // namespace hmsim::testing
