// SPDX-License-Identifier: BSD-3-Clause
// Is the lost bus time charged to the known bottleneck of the traffic, and do all shares add up to
// 1?
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

using Shares = std::array<double, kBusLosses>;

double share(const Shares& shares, BusLoss loss) { return shares[static_cast<std::size_t>(loss)]; }

// Shares of the cycles of a run: cycles lost to each cause, and cycles that carried data.
struct Outcome {
  Shares lost{};
  double data = 0;
};

struct Wanted {
  MemoryClass memory = MemoryClass::dram;
  Address address{0};
  bool write = false;
};

// Runs a channel for a million cycles with `depth` requests outstanding. next() describes each
// request.
Outcome run(const Assignments& assignments, int depth,
            const std::function<Wanted(const ChannelUnderTest&)>& next) {
  ChannelUnderTest channel(assignments);
  const auto send = [&] {
    const Wanted wanted = next(channel);
    channel.send(wanted.memory, wanted.address, wanted.write);
  };
  channel.on_done = [&](const Request&) { send(); };
  for (int i = 0; i < depth; ++i) {
    send();
  }
  channel.run_to(Cycle(1'000'000));
  const ChannelStatistics& statistics = channel.channel_.statistics();
  const auto data =
      static_cast<std::int64_t>(statistics.dram_data_cycles + statistics.nvdimm_data_cycles);
  Outcome result;
  result.data = static_cast<double>(data) / 1e6;
  const auto losses = channel.channel_.meters().bus->losses(
      Cycle(channel.kernel_.now() / channel.channel_.clock_period()), channel.channel_.elapsed(),
      data);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    result.lost[i] = static_cast<double>(losses[i]) / 1e6;
  }
  const double sum = std::accumulate(result.lost.begin(), result.lost.end(), result.data);
  // Bursts in flight at the end count completely.
  const DramTiming& timing = channel.config_.dram.timing;
  EXPECT_NEAR(sum, 1, static_cast<double>(timing.cl + 2 * timing.line()) / 1e6);
  return result;
}

const Assignments kNoRefresh{{"nvdimm.present", "false"}, {"dram.refresh", "false"}};

TEST(BusAccounting, StreamLosesToRefreshAndTheRowItCloses) {
  std::int64_t column = 0;
  const Outcome stream = run(kDramOnly, 16, [&](const ChannelUnderTest& channel) {
    return Wanted{MemoryClass::dram, channel.dram(0, 0, column++ % 256)};
  });
  // tRP + tRFC while the rank is refreshed; the rest of the 112 cycles activates the row again.
  EXPECT_NEAR(share(stream.lost, BusLoss::refresh), (11 + 88) / 6240.0, 0.0005);
  EXPECT_NEAR(share(stream.lost, BusLoss::bank), (112 - 11 - 88) / 6240.0, 0.0005);
  EXPECT_NEAR(stream.data, 1 - 112.0 / 6240, 0.001);
}

TEST(BusAccounting, OneRequestAtATimeIsBankAndLatency) {
  // Row conflicts of one bank with one request outstanding: 4 data cycles per tRC; the bank causes
  // the rest.
  std::int64_t row = 0;
  const Outcome conflicts = run(kNoRefresh, 1, [&](const ChannelUnderTest& channel) {
    return Wanted{MemoryClass::dram, channel.dram(row++ % 1024, 0, 0)};
  });
  EXPECT_GT(share(conflicts.lost, BusLoss::bank), 0.5);
  EXPECT_EQ(share(conflicts.lost, BusLoss::turnaround), 0);
}

TEST(BusAccounting, RandomRowsOverAllBanksHitTheActivateWindow) {
  // Four activates per tFAW = 24 cycles allow 16 of 24 data cycles.
  std::int64_t count = 0;
  const Outcome window = run(kNoRefresh, 64, [&](const ChannelUnderTest& channel) {
    ++count;
    return Wanted{MemoryClass::dram, channel.dram(count / 8 % 1024, count % 8, 0)};
  });
  EXPECT_NEAR(window.data, 16.0 / 24, 0.01);
  EXPECT_GT(share(window.lost, BusLoss::activate), 0.3);
}

TEST(BusAccounting, AlternatingReadsAndWritesTurnTheBusAround) {
  std::int64_t count = 0;
  const Outcome mixed = run(
      {{"nvdimm.present", "false"}, {"dram.refresh", "false"}, {"controller.scheduler", "fcfs"}},
      16, [&](const ChannelUnderTest& channel) {
        ++count;
        return Wanted{MemoryClass::dram, channel.dram(0, 0, count % 256), count % 2 == 0};
      });
  EXPECT_NEAR(share(mixed.lost, BusLoss::turnaround), 1 - mixed.data, 0.01);
}

// Lines of one pseudo-channel fill the gap between their halves and leave the other bus idle. Lines
// of both fill both buses.
TEST(BusAccounting, BothPseudoChannelsAreOneBus) {
  const Assignments hbm3 = keys_from(
      "nvdimm.present=false dram.refresh=false dram.preset=hbm3_6400_4h_2gb_x32 dram.ranks=2 "
      "controller.queue_depth=64");
  for (const std::int64_t places : {8, 4}) {  // bank groups, of both ranks or of one
    std::int64_t line = 0;
    const Outcome outcome = run(hbm3, 64, [&](const ChannelUnderTest&) {
      const std::int64_t at = line / places * 8 + line % places;
      ++line;
      return Wanted{MemoryClass::dram, Address(at % 1024 * kLineBytes.value()), false};
    });
    EXPECT_NEAR(outcome.data, static_cast<double>(places) / 8, 0.001);
    EXPECT_NEAR(share(outcome.lost, BusLoss::command), 1 - static_cast<double>(places) / 8, 0.001);
  }
}

// Row hits alternate between two ranks, one request at a time, so WCK is started for each.
TEST(BusAccounting, WckIsATurnaround) {
  const Assignments lpddr5 = keys_from(
      "nvdimm.present=false dram.refresh=false dram.preset=lpddr5_6400_16gb_x16 dram.ranks=2 "
      "controller.address_map=row|bank|column|group|rank|channel");
  std::int64_t line = 0;
  const Outcome outcome = run(lpddr5, 1, [&](const ChannelUnderTest&) {
    return Wanted{MemoryClass::dram, Address(line++ % 256 * kLineBytes.value()), false};
  });
  // From one rank's read to the other's: RL, a line, tWCKPST, the stop, and CAS.
  EXPECT_NEAR(outcome.data, 4.0 / (17 + 6 + 1 + 2), 0.001);
  EXPECT_NEAR(share(outcome.lost, BusLoss::turnaround), 1 - outcome.data, 0.001);
}

TEST(BusAccounting, AnIdleChannelIsIdle) {
  ChannelUnderTest channel(kDramOnly);
  channel.run_to(Cycle(100'000));
  const auto losses = channel.channel_.meters().bus->losses(
      Cycle(channel.kernel_.now() / channel.channel_.clock_period()), channel.channel_.elapsed(),
      0);
  EXPECT_EQ(losses[static_cast<std::size_t>(BusLoss::idle)], 100'000);
}

TEST(BusAccounting, FlashMissesAreTheNvdimms) {
  std::int64_t page = 0;
  const Outcome misses = run({{"dram.refresh", "false"}}, 8, [&](const ChannelUnderTest&) {
    return Wanted{MemoryClass::nvdimm, Address(4096 * page++)};
  });
  EXPECT_GT(share(misses.lost, BusLoss::nvdimm), 0.98);
}

TEST(BusAccounting, DramThatWaitsOutsideIsAFullQueue) {
  // Eight slots, nearly always held by flash misses; every eighth request is a DRAM read.
  std::int64_t count = 0;
  const Outcome full = run({{"dram.refresh", "false"}, {"controller.queue_depth", "8"}}, 16,
                           [&](const ChannelUnderTest& channel) {
                             ++count;
                             return count % 8 == 0
                                        ? Wanted{MemoryClass::dram, channel.dram(0, 0, count % 256)}
                                        : Wanted{MemoryClass::nvdimm, Address(4096 * count)};
                           });
  EXPECT_GT(share(full.lost, BusLoss::queue_full) + share(full.lost, BusLoss::nvdimm), 0.98);
}

}  // namespace
}  // namespace hmsim::testing
