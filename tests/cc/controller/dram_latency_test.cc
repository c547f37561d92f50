// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of DDR3-1600 11-11-11 (docs/validation.md): unloaded latencies, refresh, bandwidth
// limits.
#include <gtest/gtest.h>

#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;

Cycle latency_of(ChannelUnderTest& channel, Address address, bool write = false) {
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  const std::uint64_t id = channel.send(kDram, address, write);
  channel.run_to(sent + Cycle(200));
  return channel.finished_.at(id) - sent;
}

TEST(DramLatency, ClosedBankHitAndConflict) {
  ChannelUnderTest channel(kDramOnly);
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 0)), Cycle(26));  // ACT 11, CL 11, burst 4
  EXPECT_EQ(latency_of(channel, channel.dram(5, 0, 1)), Cycle(15));  // CL 11, burst 4
  EXPECT_EQ(latency_of(channel, channel.dram(6, 0, 0)), Cycle(37));  // PRE 11 before that
}

TEST(DramLatency, WriteHitTakesCwlAndBurst) {
  ChannelUnderTest table3(kDramOnly);
  latency_of(table3, table3.dram(5, 0, 0));
  EXPECT_EQ(latency_of(table3, table3.dram(5, 0, 1), true), Cycle(10 + 4));
  ChannelUnderTest jedec({{"nvdimm.present", "false"}, {"dram.preset", "ddr3_1600_8gb_x8"}});
  latency_of(jedec, jedec.dram(5, 0, 0));
  EXPECT_EQ(latency_of(jedec, jedec.dram(5, 0, 1), true), Cycle(8 + 4));
}

TEST(DramLatency, RequestBetweenEdgesWaitsForTheNext) {
  ChannelUnderTest channel(kDramOnly);
  channel.kernel_.run_until(Tick(1251));  // a picosecond after edge 1
  const std::uint64_t id = channel.send(kDram, channel.dram(0, 0, 0));
  channel.run_to(Cycle(100));
  EXPECT_EQ(channel.finished_.at(id), Cycle(2 + 26));
}

TEST(DramRefresh, OncePerIntervalAndRank) {
  for (const char* ranks : {"1", "2", "4"}) {
    ChannelUnderTest channel({{"nvdimm.present", "false"}, {"dram.ranks", ranks}});
    channel.run_to(Cycle(6240 * 50 + 100));
    std::map<int, int> refreshes;
    for (const CommandRecord& record : channel.log_) {
      refreshes[record.rank] += record.command == ChannelCommand::refresh ? 1 : 0;
    }
    EXPECT_EQ(refreshes.size(), static_cast<std::size_t>(std::stoi(ranks)));
    for (const auto& [rank, count] : refreshes) {
      EXPECT_EQ(count, 50) << "rank " << rank;
    }
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
  // tRTP + tRP + tRFC + tRCD - tCCD = 6 + 11 + 88 + 11 - 4 = 112 (docs/validation.md).
  ChannelUnderTest channel(kDramOnly);
  Stream stream(channel, 16);
  channel.run_to(Cycle(6240 * 100));
  std::vector<Cycle> reads;
  std::vector<Cycle> refreshes;
  for (const CommandRecord& record : channel.log_) {
    if (record.command == ChannelCommand::read) {
      reads.push_back(record.cycle);
    } else if (record.command == ChannelCommand::refresh) {
      refreshes.push_back(record.cycle);
    }
  }
  ASSERT_EQ(refreshes.size(), 99u);
  int gaps = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    const std::int64_t gap = (reads[i] - reads[i - 1]).value();
    if (gap != 4) {
      ++gaps;
      EXPECT_GE(gap, 112 + 4 - 3);  // the refresh comes due up to three cycles before a read
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
  std::vector<Cycle> activates;
  for (const CommandRecord& record : channel.log_) {
    if (record.command == ChannelCommand::activate) {
      activates.push_back(record.cycle);
    }
  }
  ASSERT_EQ(activates.size(), 8u);
  EXPECT_EQ(activates[1] - activates[0], Cycle(5));   // tRRD
  EXPECT_EQ(activates[4] - activates[0], Cycle(24));  // tFAW
}

}  // namespace
}  // namespace hmsim::testing
