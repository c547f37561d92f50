// SPDX-License-Identifier: BSD-3-Clause
// Is each cycle of a request's latency charged to the cause of its delay, and to no other?
#include <gtest/gtest.h>

#include "core/archive.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/controller/splits.h"

namespace hmsim::testing {
namespace {

const Assignments kNoRefresh{{"nvdimm.present", "false"}, {"dram.refresh", "false"}};

// DDR3-1600 11-11-11, burst 4: JESD79-3F.
TEST(LatencySplit, ClosedBankHitAndConflict) {
  ChannelUnderTest channel(kNoRefresh);
  const Splits splits(channel);
  const auto lone = [&channel](Address address) {
    const std::uint64_t id = channel.send(MemoryClass::dram, address);
    channel.run_to(Cycle(channel.kernel_.now() / channel.channel_.clock_period()) + Cycle(200));
    return id;
  };
  const std::uint64_t closed = lone(channel.dram(0, 0, 0));
  const std::uint64_t hit = lone(channel.dram(0, 0, 1));
  const std::uint64_t conflict = lone(channel.dram(1, 0, 0));
  EXPECT_EQ(splits.cycles(closed), (Cycles{{kBank, 11}, {kTransfer, 15}}));
  EXPECT_EQ(splits.cycles(hit), (Cycles{{kTransfer, 15}}));
  EXPECT_EQ(splits.cycles(conflict), (Cycles{{kBank, 22}, {kTransfer, 15}}));
}

TEST(LatencySplit, TheSecondOfTwoWaitsForItsRowThenForTheBus) {
  ChannelUnderTest channel(kNoRefresh);
  const Splits splits(channel);
  const std::uint64_t one = channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  const std::uint64_t other = channel.send(MemoryClass::dram, channel.dram(0, 0, 1));
  channel.run_to(Cycle(200));
  EXPECT_EQ(splits.cycles(one), (Cycles{{kBank, 11}, {kTransfer, 15}}));
  EXPECT_EQ(splits.cycles(other), (Cycles{{kBank, 11}, {kBus, 4}, {kTransfer, 15}}));
  const std::uint64_t third = channel.send(MemoryClass::dram, channel.dram(0, 0, 2));
  const std::uint64_t fourth = channel.send(MemoryClass::dram, channel.dram(0, 0, 3));
  channel.run_to(Cycle(400));
  EXPECT_EQ(splits.cycles(third), (Cycles{{kTransfer, 15}}));
  EXPECT_EQ(splits.cycles(fourth), (Cycles{{kBus, 4}, {kTransfer, 15}}));
}

TEST(LatencySplit, AnotherRowOfABusyBankQueuesUntilTheBankIsItsOwn) {
  ChannelUnderTest channel(kNoRefresh);
  const Splits splits(channel);
  channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  const std::uint64_t other = channel.send(MemoryClass::dram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(200));
  // The first row's read is issued in cycle 11. PRE waits for tRAS 28, ACT for tRP, RD for tRCD:
  // 50.
  EXPECT_EQ(splits.cycles(other), (Cycles{{kQueueing, 11}, {kBank, 39}, {kTransfer, 15}}));
}

TEST(LatencySplit, AWriteTurnsTheBusAround) {
  ChannelUnderTest channel(kNoRefresh);
  const Splits splits(channel);
  const std::uint64_t opens = channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  channel.run_to(Cycle(100));
  channel.send(MemoryClass::dram, channel.dram(0, 0, 1));
  const std::uint64_t write = channel.send(MemoryClass::dram, channel.dram(0, 0, 2), true);
  channel.run_to(Cycle(200));
  const DramTiming& timing = channel.config_.dram.timing;
  EXPECT_EQ(splits.cycles(opens).at(kTransfer), timing.cl + timing.burst);
  EXPECT_EQ(splits.cycles(write),
            (Cycles{{kBus, timing.cl + timing.burst + timing.trtrs - timing.cwl},
                    {kTransfer, timing.cwl + timing.burst}}));
}

TEST(LatencySplit, ARefreshComesFirst) {
  ChannelUnderTest channel(Assignments{{"nvdimm.present", "false"}});
  const Splits splits(channel);
  // REF in cycle 6240, tRFC 88.
  channel.run_to(Cycle(6241));
  const std::uint64_t late = channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  channel.run_to(Cycle(7000));
  EXPECT_EQ(splits.cycles(late), (Cycles{{kRefresh, 87}, {kBank, 11}, {kTransfer, 15}}));
  // At the second refresh the row is open: PRE in 12480, REF 11 later.
  channel.run_to(Cycle(12'470));
  const std::uint64_t before = channel.send(MemoryClass::dram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(13'000));
  // PRE in 12470; the refresh is urgent from 12480 on, before the ACT.
  EXPECT_EQ(splits.cycles(before), (Cycles{{kRefresh, 1 + 88}, {kBank, 10 + 11}, {kTransfer, 15}}));
  channel.run_to(Cycle(18'725));
  const std::uint64_t amid = channel.send(MemoryClass::dram, channel.dram(1, 0, 0));
  channel.run_to(Cycle(20'000));
  EXPECT_EQ(splits.cycles(amid), (Cycles{{kRefresh, 6 + 88}, {kBank, 11}, {kTransfer, 15}}));
}

// A rank that slept is refreshed later than others; its requests wait for that refresh as for any
// other.
TEST(LatencySplit, ARefreshAfterASelfRefreshComesFirst) {
  const Assignments sleeps =
      keys_from("nvdimm.present=false dram.self_refresh=true dram.self_refresh_idle=100us");
  constexpr Cycle kAsleep{100'000};
  const auto woken = [kAsleep](ChannelUnderTest& channel) {
    channel.run_to(kAsleep);
    channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
    channel.run_to(kAsleep + Cycle(5'000));
  };
  ChannelUnderTest alone(sleeps);
  woken(alone);
  ASSERT_EQ(only(alone.log_, ChannelCommand::self_refresh_exit).size(), 1u);
  alone.log_.clear();
  alone.run_to(kAsleep + Cycle(10'000));
  // The row that was read is closed first: tRP = 11.
  const Cycle urgent = only(alone.log_, ChannelCommand::refresh).at(0).cycle - Cycle(11);
  ChannelUnderTest channel(sleeps);
  const Splits splits(channel);
  woken(channel);
  channel.run_to(urgent - Cycle(10));
  const std::uint64_t before = channel.send(MemoryClass::dram, channel.dram(1, 0, 0));
  channel.run_to(urgent + Cycle(1'000));
  EXPECT_EQ(splits.cycles(before), (Cycles{{kRefresh, 1 + 88}, {kBank, 10 + 11}, {kTransfer, 15}}));
}

TEST(LatencySplit, AFullQueueKeepsRequestsOutside) {
  ChannelUnderTest channel(
      {{"nvdimm.present", "false"}, {"dram.refresh", "false"}, {"controller.queue_depth", "1"}});
  const Splits splits(channel);
  channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  channel.kernel_.run_until(Tick(1));
  const std::uint64_t other = channel.send(MemoryClass::dram, channel.dram(0, 0, 1));
  channel.run_to(Cycle(200));
  EXPECT_EQ(splits.time(other, kAdmission), Tick(26 * 1250 - 1));
  EXPECT_EQ(splits.time(other, kTransfer), Tick(15 * 1250));
}

TEST(LatencySplit, RequestsToOneLineQueueForEachOther) {
  ChannelUnderTest channel(kNoRefresh);
  const Splits splits(channel);
  channel.send(MemoryClass::dram, channel.dram(0, 0, 0), true);
  const std::uint64_t read = channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  channel.run_to(Cycle(200));
  const DramTiming& timing = channel.config_.dram.timing;
  EXPECT_EQ(
      splits.cycles(read),
      (Cycles{{kQueueing, 11}, {kBus, timing.cwl + timing.burst + timing.twtr}, {kTransfer, 15}}));
}

TEST(LatencySplit, AWriteThatIsNotDrainedQueues) {
  ChannelUnderTest channel(
      {{"nvdimm.present", "false"}, {"dram.refresh", "false"}, {"controller.writes", "drained"}});
  const Splits splits(channel);
  const std::uint64_t write = channel.send(MemoryClass::dram, channel.dram(0, 1, 0), true);
  for (int column = 0; column < 20; ++column) {
    channel.send(MemoryClass::dram, channel.dram(0, 0, column));
  }
  channel.run_to(Cycle(500));
  // Reads are issued from 11 to 11 + 19 x 4 = 87; then the write's row is opened.
  EXPECT_EQ(splits.cycles(write).at(kQueueing), 87);
  EXPECT_EQ(splits.cycles(write).at(kBank), 11 + 1);
}

TEST(LatencySplit, NvdimmHitAndMiss) {
  for (const bool grant : {true, false}) {
    ChannelUnderTest channel(Assignments{{"controller.ack", grant ? "grant" : "auto"}});
    const Splits splits(channel);
    const std::uint64_t miss = channel.send(MemoryClass::nvdimm, Address(0));
    channel.run_to(Cycle(100'000));
    const std::uint64_t hit = channel.send(MemoryClass::nvdimm, Address(64));
    channel.run_to(Cycle(200'000));
    // 1.25 + 52 + 300 + 50 000 + 20 480 ns, rounded up to an edge, plus one edge for the ack
    // (grant).
    EXPECT_EQ(
        splits.cycles(miss),
        (Cycles{{kAckWait, (70'833'250 + 1'249) / 1'250 + (grant ? 1 : 0)}, {kTransfer, 15}}));
    EXPECT_EQ(splits.cycles(hit), (Cycles{{kAckWait, grant ? 44 : 43}, {kTransfer, 15}}));
  }
}

TEST(LatencySplit, AcksAndBurstsOfOnePageWaitForTheBus) {
  ChannelUnderTest channel(Assignments{{"dram.refresh", "false"}});
  const Splits splits(channel);
  for (int line = 0; line < 8; ++line) {
    channel.send(MemoryClass::nvdimm, Address(line * 64));
  }
  channel.run_to(Cycle(100'000));
  for (std::uint64_t line = 0; line < 8; ++line) {
    const Cycles cycles = splits.cycles(line);
    // One command per cycle. All data arrive at once: the acks take the command bus, one per cycle,
    // then the bursts follow one another.
    EXPECT_EQ(cycles.count(kQueueing) > 0 ? cycles.at(kQueueing) : 0,
              static_cast<std::int64_t>(line));
    EXPECT_EQ(cycles.count(kBus) > 0 ? cycles.at(kBus) : 0,
              static_cast<std::int64_t>(7 + 4 * line));
  }
}

TEST(LatencySplit, WithOneCommandOutstandingOthersQueue) {
  ChannelUnderTest channel(Assignments{{"dram.refresh", "false"}, {"controller.outstanding", "1"}});
  const Splits splits(channel);
  channel.send(MemoryClass::nvdimm, Address(0));
  const std::uint64_t second = channel.send(MemoryClass::nvdimm, Address(64));
  channel.run_to(Cycle(100'000));
  const Cycles cycles = splits.cycles(second);
  EXPECT_EQ(cycles.at(kAckWait), 44);  // a hit, once it is sent
  EXPECT_GT(cycles.at(kQueueing), 56'000);
}

const Assignments kSmallNvdimm = keys_from(
    "nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 nvdimm.buffer.read_size=256KiB "
    "nvdimm.buffer.write_size=256KiB");

void check_totals(ChannelUnderTest& channel, const Splits& splits) {
  LatencySplit& split = *channel.channel_.meters().latency;
  split.fold();
  ChannelStatistics& statistics = channel.channel_.statistics();
  statistics.fold(channel.channel_.clock_period());
  double nvdimm = 0;
  for (const auto memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    for (const bool write : {false, true}) {
      double whole = 0;
      const auto found = splits.sums_.find({memory, write});
      for (std::size_t i = 0; i < kLatencyParts; ++i) {
        const double sum = split.histogram(memory, write, static_cast<LatencyPart>(i)).sum();
        EXPECT_EQ(sum, found == splits.sums_.end() ? 0 : static_cast<double>(found->second[i]));
        whole += sum;
      }
      if (memory == MemoryClass::nvdimm) {
        nvdimm += whole;
      } else {
        EXPECT_EQ(whole, (write ? statistics.dram_write_latency : statistics.dram_read_latency)
                             .histogram()
                             .sum());
      }
    }
  }
  EXPECT_EQ(nvdimm, statistics.nvdimm_line_latency.histogram().sum());
}

TEST(LatencySplit, PartsAddUpInEachStructureOfQueues) {
  for (const char* queues : {"unified", "split"}) {
    for (const char* structure : {"flat", "two_level"}) {
      for (const char* ack : {"grant", "auto", "nvdimm_p"}) {
        for (const char* page : {"open_page", "closed_page", "timeout_page", "capped_page"}) {
          SCOPED_TRACE(std::string(queues) + " " + structure + " " + ack + " " + page);
          ChannelUnderTest channel(with(kSmallNvdimm, {{"controller.queues", queues},
                                                       {"controller.structure", structure},
                                                       {"controller.ack", ack},
                                                       {"controller.page_policy", page},
                                                       {"controller.queue_depth", "16"},
                                                       {"dram.ranks", "2"},
                                                       {"dram.refresh_postpone", "2"},
                                                       {"dram.refresh_pull_in", "2"}}));
          const Splits splits(channel);
          RandomTraffic traffic(channel, 5);
          traffic.run(200);
          channel.drain();
          EXPECT_EQ(splits.parts_.size(), channel.next_id_);
          check_totals(channel, splits);
        }
      }
    }
  }
}

// Checks random traffic to two ranks.
void expect_sums(Assignments assignments) {
  assignments.emplace_back("dram.ranks", "2");
  ChannelUnderTest channel(assignments);
  const Splits splits(channel);
  RandomTraffic traffic(channel, 6);
  traffic.run(1000);
  channel.drain();
  EXPECT_EQ(splits.parts_.size(), channel.next_id_);
  check_totals(channel, splits);
}

TEST(LatencySplit, PartsAddUpWithDrainedWritesAndOtherParts) {
  for (const char* preset : {"ddr3_1600_8gb_x8", "ddr4_2400r_8gb_x8"}) {
    for (const char* writes : {"mixed", "drained"}) {
      SCOPED_TRACE(std::string(preset) + " " + writes);
      expect_sums(with(kSmallNvdimm, {{"dram.preset", preset},
                                      {"controller.writes", writes},
                                      {"controller.drain_high", "12"},
                                      {"controller.drain_low", "3"}}));
    }
  }
}

TEST(LatencySplit, PartsAddUpIfCommandsTakeSeveralSlots) {
  for (const char* preset : {"lpddr5_6400_16gb_x16", "hbm3_6400_8h_4gb_x32"}) {
    for (const char* refresh : {"all_bank", "same_bank"}) {
      SCOPED_TRACE(std::string(preset) + " " + refresh);
      expect_sums(with(kDramOnly, {{"dram.preset", preset}, {"dram.refresh_mode", refresh}}));
    }
  }
}

// One full LUN and a buffer of few pages, so that writes keep garbage collection busy.
TEST(LatencySplit, GarbageCollectionIsSeparateFromOtherWaitsForTheAck) {
  ChannelUnderTest channel(
      keys_from("nvdimm.capacity=1MiB nvdimm.nand.channels=1 nvdimm.nand.chips=1 "
                "nvdimm.nand.pages_per_block=16 nvdimm.ftl.over_provisioning=60 "
                "nvdimm.buffer.read_size=16KiB nvdimm.buffer.write_size=16KiB "
                "nvdimm.precondition.fill=1 nvdimm.precondition.overwrite=2"));
  Splits splits(channel);
  Random random(1);
  int sent = 0;
  const auto send = [&] {
    const auto page = static_cast<std::int64_t>(random.below(150));
    channel.send(MemoryClass::nvdimm, Address(page * 4096), sent++ % 2 == 0);
  };
  channel.on_done = [&](const Request&) {
    if (sent < 600) {
      send();
    }
  };
  for (int i = 0; i < 8; ++i) {
    send();
  }
  channel.drain(Cycle(1'000'000'000));
  EXPECT_EQ(splits.parts_.size(), 600u);
  check_totals(channel, splits);
  for (const bool write : {false, true}) {
    const auto& sums = splits.sums_.at({MemoryClass::nvdimm, write});
    EXPECT_GT(sums[static_cast<std::size_t>(kGcBlocked)], 0);
    EXPECT_GT(sums[static_cast<std::size_t>(kAckWait)], 0);
  }
}

TEST(LatencySplit, ACheckpointKeepsRequestsInFlight) {
  ChannelUnderTest whole(kSmallNvdimm);
  ChannelUnderTest resumed(kSmallNvdimm);
  Splits one(whole);
  Splits other(resumed);
  RandomTraffic traffic(whole, 3);
  for (int i = 0; i < 60; ++i) {
    traffic.burst();
    whole.run_to(Cycle(20 * (i + 1)));
  }
  one.parts_.clear();
  resumed.load(whole.save());
  whole.run_to(Cycle(200'000));
  resumed.run_to(Cycle(200'000));
  EXPECT_GT(one.parts_.size(), 10u);
  EXPECT_EQ(one.parts_, other.parts_);
}

}  // namespace
}  // namespace hmsim::testing
