// SPDX-License-Identifier: BSD-3-Clause
// Which lines does the synchronisation buffer keep, merge and drop?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{70'780'000};

TEST(Buffer, SequentialLinesHitOrMerge63TimesIn64) {
  for (const bool write : {false, true}) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.buffer.read_size = 64 * kPageBytes;
    parameters.buffer.write_size = 64 * kPageBytes;
    Rig rig(parameters);
    constexpr std::int64_t kPages = 500;
    rig.run(kPages * kLinesPerPage, 128, [write](std::int64_t i, Address& address, bool& is_write) {
      address = line_address(0, i);
      is_write = write;
    });
    const NvdimmStatistics s = rig.statistics();
    if (write) {
      EXPECT_EQ(s.buffer.write_lookups, Counter{kPages} * 64);
      EXPECT_EQ(s.buffer.write_hits + s.buffer.write_merged, Counter{kPages} * 63);
    } else {
      EXPECT_EQ(s.buffer.read_lookups, Counter{kPages} * 64);
      EXPECT_EQ(s.buffer.read_hits + s.buffer.read_merged, Counter{kPages} * 63);
      EXPECT_GT(s.buffer.read_merged, 0u);
      EXPECT_EQ(s.nand.page_reads, Counter{kPages}) << "a page is read once for all its lines";
    }
  }
}

TEST(Buffer, ItemsAreNotMergedAcrossAPage) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  Rig rig(parameters);
  EXPECT_EQ(rig.read(0, 0), kLookup + kPageRead);
  EXPECT_EQ(rig.read(0, 1), kLookup + kPageRead) << "only the item itself was kept";
  EXPECT_EQ(rig.read(0, 0), kLookup);
  rig.nvdimm().command(1, line_address(9, 5), false, rig.now());
  rig.nvdimm().command(2, line_address(9, 5), false, rig.now());
  rig.nvdimm().command(3, line_address(9, 6), false, rig.now());
  rig.drain();
  EXPECT_EQ(rig.statistics().nand.page_reads, 4u);
  EXPECT_EQ(rig.statistics().buffer.read_merged, 1u) << "the same item is merged";
}

TEST(Buffer, ItemsOfAPageAreWrittenBackTogether) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.write_size = kPageBytes;  // 64 items
  Rig rig(parameters);
  rig.write_page(0);
  EXPECT_EQ(rig.write(1), kLookup + Tick(670'780'000));
  EXPECT_EQ(rig.statistics().buffer.evictions, 1u);
  for (std::int64_t line = 1; line < kLinesPerPage; ++line) {
    EXPECT_EQ(rig.write(1, line), kLookup) << "one program freed all 64 frames";
  }
}

TEST(Buffer, LeastRecentlyUsedCleanPageGoesFirst) {
  Rig rig(small_nvdimm());
  for (std::int64_t page = 0; page < 4; ++page) {
    rig.read(page);
  }
  EXPECT_EQ(rig.read(0), kLookup);
  EXPECT_EQ(rig.read(4), kLookup + kPageRead);
  EXPECT_EQ(rig.read(0), kLookup);
  EXPECT_EQ(rig.read(1), kLookup + kPageRead) << "page 1 was the oldest";
}

TEST(Buffer, PinnedFramesStayAndReadsWaitInOrder) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.read_size = kPageBytes;
  Rig rig(parameters);
  Nvdimm& nvdimm = rig.nvdimm();
  nvdimm.command(0, line_address(0), false, rig.now());
  rig.drain();
  nvdimm.command(1, line_address(1), false, rig.now());
  nvdimm.command(2, line_address(2), false, rig.now());
  nvdimm.command(3, line_address(1, 5), false, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 1u) << "the only frame is pinned by command 0";
  EXPECT_FALSE(nvdimm.idle());
  rig.kernel().run_until(rig.now() + kMicrosecond);
  const Tick freed = rig.now();
  nvdimm.finish(0, freed);
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 3u);
  EXPECT_EQ(rig.acks[1], (Ack{1, freed + kPageRead}));
  EXPECT_EQ(rig.acks[2], (Ack{3, freed + kPageRead}));
  nvdimm.finish(1, rig.now());
  rig.drain();
  EXPECT_EQ(rig.acks.size(), 3u) << "command 3 still pins the frame";
  nvdimm.finish(3, rig.now());
  rig.drain();
  EXPECT_EQ(rig.acks.size(), 4u);
  nvdimm.finish(2, rig.now());
  EXPECT_TRUE(nvdimm.idle());
}

TEST(Buffer, AWriteReplacesTheLineInTheReadPart) {
  Rig rig(small_nvdimm());
  rig.write_pages(0, 5);
  rig.drain();
  rig.read(0);      // clean in the read part
  rig.write(0, 3);  // newer in the write part
  EXPECT_EQ(rig.read(0, 3), kLookup);
  EXPECT_EQ(rig.read(0, 4), kLookup) << "other lines are still clean";
  rig.write_pages(5, 9);  // pushes page 0 out of the write part
  rig.drain();
  EXPECT_EQ(rig.read(0, 4), kLookup);
  EXPECT_EQ(rig.read(0, 3), kLookup + kPageRead) << "the read part must not hold the old line 3";
  EXPECT_EQ(rig.read(0, 3), kLookup);
}

TEST(Buffer, AWriteDuringAFillIsNotLostWithIt) {
  Rig rig(small_nvdimm());
  rig.nvdimm().command(1, line_address(7, 0), false, rig.now());
  rig.kernel().run_until(rig.now() + 10 * kMicrosecond);
  EXPECT_EQ(rig.write(7, 5), kLookup) << "while the page is being read";
  rig.drain();
  rig.nvdimm().finish(1, rig.now());
  rig.write_pages(8, 12);
  rig.drain();
  const Counter reads = rig.statistics().nand.page_reads;
  EXPECT_EQ(rig.read(7, 0), kLookup);
  EXPECT_EQ(rig.read(7, 5), kLookup + kPageRead) << "the fill brought an old line 5";
  EXPECT_EQ(rig.statistics().nand.page_reads, reads + 1);
}

TEST(Buffer, AReadOfALineThatTheWritePartLacksReadsFlash) {
  Rig rig(small_nvdimm());
  rig.write(2, 0);
  EXPECT_EQ(rig.read(2, 1), kLookup + kPageRead);
  EXPECT_EQ(rig.read(2, 0), kLookup);
}

TEST(Buffer, AFrameBeingReadOutlivesItsEviction) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.write_size = kPageBytes;
  Rig rig(parameters);
  rig.write_page(0);
  const Tick start = rig.now();
  rig.acks.clear();
  rig.nvdimm().command(1, line_address(1), true, start);  // evicts page 0
  rig.kernel().run_until(start + 100 * kMicrosecond);
  rig.nvdimm().command(2, line_address(0, 9), false, rig.now());
  rig.kernel().run_until(start + 900 * kMicrosecond);
  ASSERT_EQ(rig.acks.size(), 1u) << "page 0 is programmed, but command 2 still needs its frame";
  EXPECT_EQ(rig.acks[0].tag, 2u);
  rig.nvdimm().finish(2, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 2u);
  EXPECT_EQ(rig.acks[1], (Ack{1, start + 900 * kMicrosecond}));
}

TEST(Buffer, AWriteMayTakeOverAFrameThatIsOnlyBeingRead) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.write_size = kPageBytes;
  Rig rig(parameters);
  rig.write_page(0);
  rig.acks.clear();
  rig.nvdimm().command(1, line_address(1), true, rig.now());  // evicts page 0
  rig.nvdimm().command(2, line_address(0, 9), false, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 1u);
  rig.nvdimm().command(3, line_address(0, 4), true, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 2u) << "page 0 keeps its frame";
  EXPECT_EQ(rig.acks[1].tag, 3u);
  rig.nvdimm().finish(2, rig.now());
  rig.nvdimm().finish(3, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 3u) << "then page 0 is evicted again";
  EXPECT_EQ(rig.statistics().buffer.evictions, 2u);
}

TEST(Buffer, AFrameMayEndItsUseWhileItsPageIsReadAgain) {
  Rig rig(small_nvdimm());
  rig.write_pages(0, 5);
  rig.drain();
  rig.nvdimm().command(1, line_address(0), false, rig.now());
  rig.drain();  // command 1 pins page 0 in the read part
  rig.write(0, 3);
  rig.write_pages(5, 9);
  rig.drain();
  rig.acks.clear();
  const Tick start = rig.now();
  rig.nvdimm().command(2, line_address(0, 3), false, start);
  rig.kernel().run_until(start + kMicrosecond);
  rig.nvdimm().finish(1, rig.now());
  EXPECT_EQ(rig.read(0, 5), kLookup) << "other lines stay usable meanwhile";
  rig.drain();
  EXPECT_EQ(rig.acks.back(), (Ack{2, start + kLookup + kPageRead}));
}

TEST(Buffer, APageIsEvictedOnceAtATime) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.write_size = kPageBytes;  // 64 items
  parameters.command_queue = 128;
  Rig rig(parameters);
  Nvdimm& nvdimm = rig.nvdimm();
  nvdimm.command(1, line_address(0, 0), true, rig.now());
  for (std::int64_t line = 1; line < 63; ++line) {
    rig.write(0, line);
  }
  rig.write(1);
  // The write evicts the 62 items of page 0 that are not pinned.
  nvdimm.command(2, line_address(2), true, rig.now());
  rig.kernel().run_until(rig.now() + kMicrosecond);
  nvdimm.finish(1, rig.now());
  rig.write(1);  // now the item of page 0 is the oldest
  for (std::uint32_t i = 0; i < 62; ++i) {
    nvdimm.command(3 + i, line_address(3, i), true, rig.now());
  }
  rig.kernel().run_until(rig.now() + kMicrosecond);
  EXPECT_EQ(rig.statistics().buffer.evictions, 2u) << "pages 0 and 1";
  rig.acks.clear();
  rig.drain();
  EXPECT_EQ(rig.acks.size(), 63u);
  EXPECT_EQ(rig.read(0, 0), kLookup) << "that item is still here";
}

// A page discarded while a command reads it has no valid line, and a write to another of its lines
// ends. The frame stays with the command until it ends.
TEST(Buffer, AFrameThatIsReadStaysThoughItsPageIsDiscardedAndWritten) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.read_size = kPageBytes;
  Rig rig(parameters);
  Nvdimm& nvdimm = rig.nvdimm();
  nvdimm.command(1, line_address(0), false, rig.now());
  rig.drain();
  EXPECT_EQ(nvdimm.trim(line_address(0), kPageBytes, rig.now()), 1);
  EXPECT_EQ(rig.write(0, 5), kLookup);
  rig.acks.clear();
  nvdimm.command(2, line_address(3), false, rig.now());
  rig.drain();
  EXPECT_TRUE(rig.acks.empty()) << "command 1 has the only frame";
  nvdimm.finish(1, rig.now());
  const Tick freed = rig.now();
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 1u);
  EXPECT_EQ(rig.acks[0], (Ack{2, freed + kPageRead}));
}

// More lines than the write part has frames, each written twice: bytes outside the mask are kept,
// from the arrival of the data on, and also when they are in flash.
TEST(Buffer, PostedWritesLeaveTheirBytesAtOnce) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.command_queue = 32;
  parameters.posted_writes = 16;
  Rig rig(parameters);
  LineData all;
  LineData low;
  low.mask = 0xFFFF'FFFF;
  const auto value = [](std::int64_t page) { return static_cast<std::uint8_t>(10 * page + 1); };
  const auto expect_all = [&] {
    for (std::int64_t page = 0; page < 8; ++page) {
      LineBytes both;
      std::fill(both.begin(), both.begin() + 32, static_cast<std::uint8_t>(value(page) + 1));
      std::fill(both.begin() + 32, both.end(), value(page));
      EXPECT_EQ(rig.nvdimm().peek(line_address(page, page)), both) << page;
    }
  };
  for (std::int64_t page = 0; page < 8; ++page) {
    all.bytes.fill(value(page));
    rig.nvdimm().post(line_address(page, page), all, 0, rig.now());
    EXPECT_EQ(rig.nvdimm().peek(line_address(page, page)), all.bytes);
    low.bytes.fill(static_cast<std::uint8_t>(value(page) + 1));
    rig.nvdimm().post(line_address(page, page), low, 0, rig.now());
  }
  expect_all();
  rig.drain();
  EXPECT_GT(rig.statistics().nand.page_programs, 0u);
  expect_all();
}

}  // namespace
}  // namespace hmsim
