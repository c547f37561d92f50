// SPDX-License-Identifier: BSD-3-Clause
// Do items of a page share its flash read (nvdimm.buffer.item_reads: shared), and which items?
#include "nvdimm/buffer/shared_reads.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kCommand{300'000};
constexpr Tick kCells{50'000'000};
constexpr Tick kTransfer{20'480'000};
constexpr Tick kPageRead = kCommand + kCells + kTransfer;
constexpr Tick kCycle{1'250};

NvdimmParameters of_items(ItemReads reads) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.item_reads = reads;
  return parameters;
}

void send(Rig& rig, std::uint32_t tag, std::int64_t page, std::int64_t line, bool write = false) {
  rig.nvdimm().command(tag, line_address(page, line), write, rig.now());
}

std::map<std::uint32_t, Tick> ack_times(const Rig& rig) {
  std::map<std::uint32_t, Tick> times;
  for (const Ack& ack : rig.acks) {
    EXPECT_TRUE(times.emplace(ack.tag, ack.time).second) << ack.tag;
  }
  return times;
}

// Lines 0 and 1 of page 0, and line 0 of page 1, which is on another channel.
TEST(SharedReads, TwoLinesOfAPageTakeOneFlashRead) {
  for (const ItemReads reads : {ItemReads::own, ItemReads::shared}) {
    const bool shared = reads == ItemReads::shared;
    Rig rig(of_items(reads));
    send(rig, 0, 0, 0);
    rig.kernel().run_until(kCycle);
    send(rig, 1, 0, 1);
    rig.kernel().run_until(2 * kCycle);
    send(rig, 2, 1, 0);
    rig.drain();
    std::map<std::uint32_t, Tick> acks = ack_times(rig);
    EXPECT_EQ(acks[0], kLookup + kPageRead);
    EXPECT_EQ(acks[1], kLookup + (shared ? 1 : 2) * kPageRead);
    EXPECT_EQ(acks[2], 2 * kCycle + kLookup + kPageRead);
    EXPECT_EQ(rig.statistics().nand.page_reads, shared ? 2u : 3u);
    EXPECT_EQ(rig.statistics().buffer.read_lookups, 3u);
    EXPECT_EQ(rig.statistics().buffer.read_hits, 0u);
    EXPECT_EQ(rig.statistics().buffer.read_merged, shared ? 1u : 0u);
    EXPECT_EQ(rig.statistics().buffer.read_joined, shared ? 1u : 0u);
    // Each has an item frame of its own; nothing else of the page is kept.
    for (const std::uint32_t tag : {0, 1, 2}) {
      rig.nvdimm().finish(tag, rig.now());
    }
    EXPECT_EQ(rig.read(0, 0), kLookup);
    EXPECT_EQ(rig.read(0, 1), kLookup);
    EXPECT_EQ(rig.read(0, 2), kLookup + kPageRead);
  }
}

// An item joins until the page has arrived; later it needs another flash read.
TEST(SharedReads, ItemsJoinUntilThePageHasArrived) {
  const Tick arrival = kLookup + kPageRead;
  struct Case {
    const char* what;
    Tick lookup_ends;
    bool joins;
  };
  for (const Case& each : {Case{"the command crosses the channel", kLookup + kCommand / 2, true},
                           Case{"the cells work", kLookup + kCommand + kCells / 2, true},
                           Case{"the page is in the register", kLookup + kCommand + kCells, true},
                           Case{"the page crosses the channel", arrival - kTransfer / 2, true},
                           Case{"the last moment", arrival - Tick(1), true},
                           Case{"the page has arrived", arrival, false}}) {
    Rig rig(of_items(ItemReads::shared));
    send(rig, 0, 0, 5);
    rig.kernel().run_until(each.lookup_ends - kLookup);
    send(rig, 1, 0, 3);
    rig.drain();
    std::map<std::uint32_t, Tick> acks = ack_times(rig);
    EXPECT_EQ(acks[0], arrival) << each.what;
    EXPECT_EQ(acks[1], each.joins ? arrival : arrival + kPageRead) << each.what;
    EXPECT_EQ(rig.statistics().nand.page_reads, each.joins ? 1u : 2u) << each.what;
  }
}

TEST(SharedReads, ItemsJoinAReadThatWaitsForItsLunOrItsDecoding) {
  NvdimmParameters parameters = of_items(ItemReads::shared);
  parameters.nand.channels = 1;
  parameters.nand.chips = 1;
  parameters.nand.ecc_time = 5 * kMicrosecond;
  Rig rig(parameters);
  send(rig, 0, 0, 0);
  send(rig, 1, 1, 0);  // the LUN is busy with page 0
  send(rig, 2, 1, 9);
  rig.kernel().run_until(kLookup + kPageRead);  // page 0 is decoded
  send(rig, 3, 0, 9);
  rig.drain();
  std::map<std::uint32_t, Tick> acks = ack_times(rig);
  EXPECT_EQ(acks[0], kLookup + kPageRead + parameters.nand.ecc_time);
  EXPECT_EQ(acks[3], acks[0]);
  EXPECT_EQ(acks[1], kLookup + 2 * kPageRead + parameters.nand.ecc_time);
  EXPECT_EQ(acks[2], acks[1]);
  EXPECT_EQ(rig.statistics().nand.page_reads, 2u);
}

// A line written while its page is read is taken from the write part.
TEST(SharedReads, AWriteInBetweenKeepsItsLine) {
  Rig rig(of_items(ItemReads::shared));
  send(rig, 0, 0, 0);
  send(rig, 1, 0, 1);
  rig.kernel().run_until(kMicrosecond);
  send(rig, 2, 0, 1, true);
  rig.kernel().run_until(kMicrosecond + kLookup);
  rig.nvdimm().finish(2, rig.now());
  rig.drain();
  std::map<std::uint32_t, Tick> acks = ack_times(rig);
  EXPECT_EQ(acks[2], kMicrosecond + kLookup);
  EXPECT_EQ(acks[0], kLookup + kPageRead);
  EXPECT_EQ(acks[1], kLookup + kPageRead);
  EXPECT_EQ(rig.statistics().nand.page_reads, 1u);
  rig.nvdimm().finish(0, rig.now());
  rig.nvdimm().finish(1, rig.now());
  EXPECT_EQ(rig.read(0, 0), kLookup);
  EXPECT_EQ(rig.read(0, 1), kLookup);
  EXPECT_EQ(rig.statistics().nand.page_reads, 1u);
  EXPECT_EQ(rig.statistics().buffer.read_hits, 2u);
}

// Page 0 is read from LUN 0 for 5 ms. Meanwhile two of its lines are written and programmed on LUN
// 1, so the data from LUN 0 are out of date.
TEST(SharedReads, NoItemJoinsAReadOfAPlaceThatThePageHasLeft) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.item_reads = ItemReads::shared;
  parameters.buffer.write_size = kPageBytes;  // 64 items
  parameters.capacity = 8 * parameters.capacity;
  parameters.nand.chips = 2;
  parameters.nand.read_time = 5 * kMillisecond;
  parameters.nand.program_time = 10 * kMicrosecond;
  ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
  Rig rig(parameters);
  send(rig, 1, 0, 0);
  rig.write(0, 1);
  rig.write(0, 2);
  for (std::int64_t line = 0; line < 62; ++line) {
    rig.write(4, line);
  }
  rig.write(6);  // page 0 leaves the buffer
  EXPECT_EQ(rig.statistics().nand.page_programs, 1u);
  EXPECT_EQ(rig.nvdimm().ftl().pages().read_lun(LogicalPage(0)), 1u);
  rig.acks.clear();
  const Tick sent = rig.now();
  send(rig, 2, 0, 1);
  send(rig, 3, 0, 2);
  rig.drain();
  std::map<std::uint32_t, Tick> acks = ack_times(rig);
  const Tick read = kCommand + parameters.nand.read_time + kTransfer;
  EXPECT_EQ(acks[1], kLookup + read);
  EXPECT_EQ(acks[2], sent + kLookup + read);
  EXPECT_EQ(acks[3], sent + kLookup + 2 * read) << "it cannot be shared beside the other one";
  EXPECT_EQ(rig.statistics().nand.page_reads, 3u);
}

// Reads 10 pages of 64 lines, 32 lines at a time. With page frames, flash reads each page once.
// With item frames, it reads each page twice, once for each half, and without sharing once for each
// line.
TEST(SharedReads, ALoneSequentialReaderWaitsTwiceForAPage) {
  constexpr std::int64_t kPages = 10;
  const auto run = [](const NvdimmParameters& parameters) {
    Rig rig(parameters);
    rig.run(kPages * kLinesPerPage, 32, [](std::int64_t i, Address& address, bool& write) {
      address = line_address(0, i);
      write = false;
    });
    return std::pair(rig.now(), rig.statistics().nand.page_reads);
  };
  EXPECT_EQ(run(plain_nvdimm()),
            std::pair(kPages * (kLookup + kPageRead + kLookup), Counter{kPages}));
  EXPECT_EQ(run(of_items(ItemReads::shared)),
            std::pair(kPages * 2 * (kLookup + kPageRead), Counter{2 * kPages}));
  const auto own = run(of_items(ItemReads::own));
  EXPECT_EQ(own.second, Counter{kPages} * 64);
  EXPECT_GT(own.first, kPages * 30 * kPageRead);
}

// A prefetched item starts a flash read or joins one, as any other item does. If it joins a read,
// its LUN stays idle, so that another prefetch from the LUN may follow.
TEST(SharedReads, PrefetchesShareThem) {
  NvdimmParameters parameters = of_items(ItemReads::shared);
  parameters.buffer.manager = "prefetch";
  parameters.nand.channels = 1;
  parameters.nand.chips = 2;
  parameters.nand.ecc_time = 5 * kMicrosecond;
  parameters.buffer.lookup = 72 * kMicrosecond;
  Rig rig(parameters);
  send(rig, 0, 0, 0);  // is read at once
  send(rig, 1, 0, 1);  // when the LUN is idle, the page is decoded
  send(rig, 2, 0, 2);
  send(rig, 3, 2, 0);  // same LUN: one prefetch is in flight, and two are allowed
  rig.drain();
  std::map<std::uint32_t, Tick> acks = ack_times(rig);
  EXPECT_EQ(acks[0], kPageRead + parameters.nand.ecc_time);
  EXPECT_EQ(acks[1], acks[0]);
  EXPECT_EQ(acks[2], acks[0]);
  EXPECT_EQ(acks[3], 2 * kPageRead + parameters.nand.ecc_time);
  EXPECT_EQ(rig.statistics().nand.page_reads, 2u);
  EXPECT_EQ(rig.statistics().buffer.prefetches, 4u);
  EXPECT_EQ(rig.statistics().buffer.prefetch_late, 4u);
}

// Collection copies page 8 while lines of it wait. The read of line 0 is queued; line 5 has joined
// it and is written meanwhile; line 3 has no frame. Line 5 is taken from the write part, so its
// frame goes to line 3, which joins as well and is served by the same copy.
TEST(SharedReads, ACopyServesItemsThatGetAFrameWhileItServesOthers) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.item_reads = ItemReads::shared;
  parameters.buffer.read_size = kPageBytes;  // 64 items
  parameters.gc.scheduler = "proactive";
  parameters.nand.pages_per_block = 8;
  parameters.command_queue = 128;
  Rig rig(parameters);
  for (std::uint32_t tag = 1; tag <= 62; ++tag) {
    send(rig, tag, 50, tag);
  }
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 62u) << "their frames stay in use";
  // Each block gets one page that is written once. It ends with free frames in the write part.
  const auto collects = [&] { return rig.statistics().ftl.gc_valid_pages.count() > 0; };
  std::int64_t next_cold = 8;
  for (std::int64_t i = 0; !collects(); ++i) {
    const std::int64_t page = i % 8 == 0 ? next_cold++ : i % 8;
    for (std::int64_t line = 0; line < kLinesPerPage && !collects(); ++line) {
      rig.write(page, line);
    }
  }
  ASSERT_EQ(rig.statistics().ftl.gc_valid_pages.max(), 1);
  const Counter reads = rig.statistics().nand.page_reads;
  rig.acks.clear();
  send(rig, 70, 8, 0);
  send(rig, 71, 8, 5);
  send(rig, 72, 8, 3);
  send(rig, 73, 8, 5, true);
  rig.kernel().run_until(rig.now() + kLookup);
  rig.nvdimm().finish(73, rig.now());
  while (rig.statistics().nand.page_reads == reads) {
    ASSERT_TRUE(rig.kernel().step(kNever));
  }
  std::map<std::uint32_t, Tick> acks = ack_times(rig);
  ASSERT_EQ(acks.size(), 4u);
  for (const std::uint32_t tag : {70, 71, 72}) {
    EXPECT_EQ(acks[tag], rig.now()) << tag;
  }
  EXPECT_EQ(rig.statistics().ftl.gc_cached, 1u);
  rig.drain();
  EXPECT_EQ(rig.statistics().nand.page_reads, reads + 1) << "the queued read is withdrawn";
}

}  // namespace
}  // namespace hmsim
