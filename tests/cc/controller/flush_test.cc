// SPDX-License-Identifier: BSD-3-Clause
// Flushes of the NVDIMM: which requests they wait for, which requests wait for them, and how long
// they take.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "nvdimm/nvdimm.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Cycle kLongAfter{10'000'000};

const Assignments kQuiet = with(kSmallNvdimm, {{"dram.refresh", "false"}});
const Assignments kWriteBack = with(kQuiet, {{"nvdimm.buffer.flush", "writeback"}});

TEST(Flush, TakesItsCommandALookupAndAnAck) {
  for (const char* ack : {"grant", "auto", "nvdimm_p"}) {
    ChannelUnderTest channel(with(kQuiet, {{"controller.ack", ack}}));
    const std::uint64_t first = channel.flush();
    const std::uint64_t second = channel.flush();
    channel.run_to(kLongAfter);
    EXPECT_EQ(channel.finished_.at(first), Cycle(43)) << "command 1, lookup 42 (52 ns)";
    // The ack takes a command slot unless it has separate lines.
    const std::int64_t after = ack == std::string("nvdimm_p") ? 43 : 44;
    EXPECT_EQ(channel.finished_.at(second), Cycle(after + 43)) << ack;
  }
}

// A flush has no burst: even in `auto` mode its ack passes while the data bus is busy.
TEST(Flush, ItsAckDoesNotWaitForTheDataBus) {
  std::vector<Cycle> ends;
  for (const char* ack : {"grant", "auto"}) {
    ChannelUnderTest channel(
        with(kQuiet, {{"controller.ack", ack}, {"controller.queues", "split"}}));
    for (std::int64_t column = 0; column < 24; ++column) {  // keeps the data bus busy
      channel.send(MemoryClass::dram, channel.dram(0, 0, column));
    }
    const std::uint64_t flush = channel.flush();
    channel.run_to(kLongAfter);
    ends.push_back(channel.finished_.at(flush));
    EXPECT_GT(channel.finished_.at(23), ends.back() + Cycle(20));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(Flush, WaitsForEarlierRequests) {
  ChannelUnderTest channel(kQuiet);
  const std::uint64_t read = channel.send(kNvdimm, Address(0));
  const std::uint64_t write = channel.send(kNvdimm, Address(4096), true);
  const std::uint64_t flush = channel.flush();
  channel.run_to(kLongAfter);
  EXPECT_LT(channel.finished_.at(write), channel.finished_.at(read));
  EXPECT_EQ(channel.finished_.at(flush), channel.finished_.at(read) + Cycle(43));
}

TEST(Flush, BlocksLaterRequests) {
  ChannelUnderTest channel(kQuiet);
  channel.send(kNvdimm, Address(0));
  const std::uint64_t flush = channel.flush();
  const std::uint64_t write = channel.send(kNvdimm, Address(4096), true);
  channel.run_to(kLongAfter);
  // The ack takes the command bus. Then: command, lookup, ack in cycle 43, grant, CWL, burst.
  const std::int64_t burst = channel.config_.dram.timing.cwl + channel.config_.dram.timing.burst;
  EXPECT_EQ(channel.finished_.at(write), channel.finished_.at(flush) + Cycle(1 + 44 + burst));
}

// Code that steps the kernel by hand sees every completion up to that time.
TEST(Flush, SteppingByHandShowsEachCompletionAtItsTime) {
  for (const Assignments& assignments : {kQuiet, kWriteBack}) {
    ChannelUnderTest channel(assignments);
    for (int i = 0; i < 5; ++i) {
      channel.flush();
      channel.send(kNvdimm, Address(4096 * i), true);
      for (std::int64_t row = 0; row < 4; ++row) {
        channel.send(MemoryClass::dram, channel.dram(row, i, 0));
      }
    }
    std::size_t seen = 0;
    while (!channel.channel_.idle() && channel.kernel_.step(kNever)) {
      for (; seen < channel.order_.size(); ++seen) {
        EXPECT_EQ(channel.finished_.at(channel.order_[seen]),
                  Cycle(channel.kernel_.now() / channel.channel_.clock_period()))
            << "request " << channel.order_[seen];
      }
    }
    EXPECT_EQ(seen, channel.next_id_);
  }
}

TEST(Flush, LeavesDramAlone) {
  std::vector<std::map<std::uint64_t, Cycle>> finished;
  for (const bool flush : {false, true}) {
    ChannelUnderTest channel(with(kQuiet, {{"controller.queues", "split"}}));
    Random random(3);
    for (int i = 0; i < 100; ++i) {
      channel.send(MemoryClass::dram, channel.dram(static_cast<std::int64_t>(random.below(4)),
                                                   static_cast<std::int64_t>(random.below(4)),
                                                   static_cast<std::int64_t>(random.below(8))));
    }
    if (flush) {
      channel.flush();
    }
    channel.run_to(kLongAfter);
    channel.finished_.erase(100);
    finished.push_back(channel.finished_);
  }
  // The command and the ack may each cost a command-bus cycle.
  for (const auto& [id, cycle] : finished[0]) {
    EXPECT_LE(finished[1].at(id), cycle + Cycle(2));
  }
}

// A flush has no page, whatever its address is. Earlier row hits stay hits and go before an older
// miss of their pseudo-bank.
TEST(Flush, DoesNotChangeTheLastPageOfAPseudoBank) {
  ChannelUnderTest channel(kQuiet);
  constexpr std::int64_t kPage = 3;
  const std::int64_t other = kPage + PseudoBanks({channel.config_.nvdimm}).count();
  const auto line = [](std::int64_t page, std::int64_t of_page) {
    return Address(page * kPageBytes.value() + of_page * kLineBytes.value());
  };
  channel.send(kNvdimm, line(kPage, 0));
  channel.drain();
  Request flush;
  flush.id = channel.next_id_++;
  flush.memory = kNvdimm;
  flush.flush = true;
  flush.address = line(kPage, 0);
  flush.arrival = channel.kernel_.now();
  channel.channel_.send(flush, channel.kernel_.now());
  channel.drain();
  const std::uint64_t miss = channel.send(kNvdimm, line(other, 0));
  const std::uint64_t hit = channel.send(kNvdimm, line(kPage, 1));
  channel.drain();
  std::vector<std::uint64_t> commands;
  for (const CommandRecord& record : channel.log_) {
    if (record.command == ChannelCommand::nvdimm_read_command) {
      commands.push_back(record.request);
    }
  }
  EXPECT_EQ(commands, (std::vector<std::uint64_t>{0, hit, miss}));
}

TEST(Flush, OccupiesACommandQueueOfOneAlone) {
  ChannelUnderTest channel(with(kQuiet, {{"controller.outstanding", "1"}}));
  channel.send(kNvdimm, Address(0), true);
  channel.flush();
  channel.send(kNvdimm, Address(0));
  channel.drain();
  EXPECT_EQ(channel.order_, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Flush, WritesBackDirtyPagesIfConfigured) {
  ChannelUnderTest channel(kWriteBack);
  channel.send(kNvdimm, Address(0), true);
  channel.run_to(Cycle(1'000));
  const std::uint64_t flush = channel.flush();
  channel.run_to(Cycle(2'000'000));
  const NvdimmParameters& nvdimm = channel.config_.nvdimm;
  // The page was never written, so no read precedes the program. To flash: command, data, program
  // (650 us constant), without the status.
  const NvdimmStatistics seen = static_cast<Nvdimm*>(channel.nvdimms().front())->statistics();
  EXPECT_EQ(seen.nand.page_reads, 0u);
  EXPECT_EQ(seen.nand.page_programs, 1u);
  EXPECT_EQ(seen.buffer.flushed_pages, 1u);
  const Tick transfer(kPageBytes.value() * kSecond.value() / nvdimm.nand.bus_rate);
  const Tick ready = Tick(1'250) + nvdimm.buffer.lookup + nvdimm.nand.command_time + transfer +
                     nvdimm.nand.program_time;
  EXPECT_EQ(channel.finished_.at(flush) - Cycle(1'000), Cycle((ready.value() + 1'249) / 1'250));
  // Nothing is left to write back.
  const std::uint64_t again = channel.flush();
  channel.run_to(kLongAfter);
  EXPECT_EQ(channel.finished_.at(again), Cycle(2'000'000 + 43));
}

TEST(Flush, WriteBackEndsWithAnEmptyWritePart) {
  for (const char* release : {"program", "datain"}) {
    for (const char* granularity : {"page", "item"}) {
      ChannelUnderTest channel(with(kWriteBack, {{"nvdimm.buffer.release", release},
                                                 {"nvdimm.buffer.granularity", granularity},
                                                 {"nvdimm.unmapped_read", "zero"}}));
      Random random(11);
      for (int i = 0; i < 300; ++i) {
        const auto page = static_cast<std::int64_t>(random.below(60));
        const auto line = static_cast<std::int64_t>(random.below(64));
        channel.send(kNvdimm, Address(page * 4096 + line * 64), true);
      }
      bool checked = false;
      const std::uint64_t flush = channel.flush();
      channel.on_done = [&](const Request& request) {
        checked = checked || request.id == flush;
        if (request.id == flush) {
          const auto& nvdimm = static_cast<const Nvdimm&>(*channel.nvdimms().front());
          EXPECT_EQ(nvdimm.pending().all().writes, 0u);
          EXPECT_TRUE(nvdimm.written_back());
        }
      };
      channel.drain(kLongAfter);
      EXPECT_TRUE(checked) << release << " " << granularity;
    }
  }
}

TEST(Flush, SaveAndLoadDuringAFlush) {
  expect_exact_resume(kQuiet, 4, 6);
  expect_exact_resume(kWriteBack, 4, 6);
}

TEST(Flush, BarriersHoldInEveryStructureAndMode) {
  for (const char* structure : {"flat", "two_level"}) {
    for (const char* queues : {"unified", "split"}) {
      for (const char* ack : {"grant", "auto", "nvdimm_p"}) {
        for (const Assignments& base : {kQuiet, kWriteBack}) {
          ChannelUnderTest channel(with(base, {{"controller.structure", structure},
                                               {"controller.queues", queues},
                                               {"controller.ack", ack},
                                               {"controller.starvation_limit", "3us"}}));
          RandomTraffic traffic(channel, 7, 10);
          for (int i = 1; i <= 200; ++i) {
            traffic.burst();
            channel.run_to(Cycle(30 * i));
          }
          channel.drain(Cycle(100'000'000));
          traffic.expect_all_done();
          traffic.expect_barriers();
        }
      }
    }
  }
}

// One flush over all NVDIMMs of a system.
TEST(Flush, OverSeveralChannelsEndsWithTheLast) {
  const SystemConfig config =
      make_config(with(kQuiet, {{"controller.channels", "4"}, {"nvdimm.capacity", "1GiB"}}));
  struct Seen final : public Requester {
    void on_complete(const Request& request, Tick now) override { done[request.tag] = now; }
    std::map<std::uint32_t, Tick> done;
  };
  Kernel kernel;
  Seen seen;
  MemorySystem system(config, kernel, 1);
  system.set_requesters({&seen});
  ProtocolChecker checker(config);
  checker.watch(system);
  Request request;
  request.memory = kNvdimm;
  request.tag = 1;
  system.send(request, kernel.now());
  request.tag = 2;
  request.flush = true;
  system.send(request, kernel.now());
  while (!system.idle() && kernel.step(kLongAfter.value() * Tick(1'250))) {
  }
  EXPECT_EQ(seen.done.at(2), seen.done.at(1) + 43 * Tick(1'250));
  EXPECT_EQ(seen.done.size(), 2u);
  checker.finish(kernel.now(), true);
  checker.raise_if_violated();
}

}  // namespace
}  // namespace hmsim::testing
