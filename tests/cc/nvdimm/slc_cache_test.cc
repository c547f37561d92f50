// SPDX-License-Identifier: BSD-3-Clause
// Does an SLC cache take bursts at the rate, for the length and at the cost of the closed forms?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nvdimm/precondition.h"
#include "tests/cc/names.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr std::int64_t kPages = 24;   // of a block
constexpr std::int64_t kBlocks = 64;  // of the only LUN
constexpr std::int64_t kCache = 4;    // blocks of a static cache

// Bus: 0.3 us a command, 20.48 us a page. Cells: tR of 25 us, tPROG of 200 and 650, tBERS of 2000.
constexpr Tick kCached{220'780'000};
constexpr Tick kDirect{670'780'000};
Tick fold(std::int64_t pages) { return pages * (Tick(45'780'000) + kDirect) + Tick(2'000'300'000); }

NvdimmParameters cached(std::int64_t bits, CacheSize size) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = kBlocks * kPages * kPageBytes;
  parameters.access = NvdimmAccess::block;
  parameters.nand.pages_per_block = kPages;
  parameters.nand.cell_bits = bits;
  parameters.nand.slc_blocks = size == CacheSize::fixed ? kCache : kBlocks;
  parameters.ftl.slc_size = size;
  parameters.ftl.wear_gap = 0;
  parameters.buffer.flush = BufferFlush::writeback;
  return parameters;
}

// Writes whole pages in order, and records the time at which each was programmed.
class Writer {
 public:
  // `first`: the first page that write() writes.
  explicit Writer(const NvdimmParameters& parameters, std::int64_t first = 0)
      : rig(parameters), next_(first) {
    EXPECT_EQ(join_errors(parameters.check()), "");
    rig.lines = kLinesPerPage;
  }

  void write(std::int64_t pages) {
    rig.run(
        pages, 8,
        [this](std::int64_t, Address& address, bool& is_write) {
          address = line_address(next_++);
          is_write = true;
        },
        [this] { record(); });
  }
  void flush() {
    rig.nvdimm().flush(0, rig.now());
    while (rig.kernel().step(kNever)) {
      record();
    }
    rig.nvdimm().finish(0, rig.now());
  }
  // Returns the time from the end of the program of page `first` to that of page `last`.
  Tick between(std::int64_t first, std::int64_t last) const {
    return ends[static_cast<std::size_t>(last)] - ends[static_cast<std::size_t>(first)];
  }

  Rig rig;
  std::vector<Tick> ends;

 private:
  void record() {
    while (ends.size() < rig.statistics().ftl.host_pages) {
      ends.push_back(rig.now());
    }
  }

  std::int64_t next_;
};

// Then each page costs its own program and its share of the fold of the oldest block.
TEST(SlcCache, ABurstFillsItAndThenWritesGoAtTheRateOfFolding) {
  for (const std::int64_t bits : {2, 3, 4}) {
    Writer writer(cached(bits, CacheSize::fixed));
    const std::int64_t block = kPages / bits;
    const std::int64_t burst = kCache * block;
    writer.write(burst + 5 * block + 8);
    EXPECT_EQ(writer.between(0, burst - 1), (burst - 1) * kCached) << bits;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t full = burst - 1 + i * block;
      EXPECT_EQ(writer.between(full, full + 1), fold(block) + kCached) << bits << " " << i;
      EXPECT_EQ(writer.between(full, full + block), fold(block) + block * kCached) << bits;
    }
  }
}

// In idle time all full blocks are folded: each page is programmed once in the cache and once more.
TEST(SlcCache, IdleTimeFoldsEveryPageOnceAndMakesRoomForAnotherBurst) {
  for (const std::int64_t bits : {2, 3}) {
    Writer writer(cached(bits, CacheSize::fixed));
    const std::int64_t burst = kCache * kPages / bits;
    for (std::int64_t round = 1; round <= 3; ++round) {
      writer.write(burst);
      writer.flush();
      const FtlStatistics& ftl = writer.rig.statistics().ftl;
      const auto pages = static_cast<Counter>(round * burst);
      EXPECT_EQ(ftl.host_pages, pages);
      EXPECT_EQ(ftl.cached_pages, pages);
      EXPECT_EQ(ftl.folded_pages, pages);
      EXPECT_EQ(ftl.folds, static_cast<Counter>(round * kCache));
      EXPECT_EQ(ftl.gc_pages + ftl.gc_count + ftl.padded_pages, 0u);
      // The last pages leave at the flush.
      const std::int64_t last = round * burst - 6;
      EXPECT_EQ(writer.between((round - 1) * burst, last), (burst - 6) * kCached);
      EXPECT_EQ(writer.rig.census().in_flight, 0u);
    }
  }
}

// Pages that are overwritten in the cache are not folded.
TEST(SlcCache, OverwrittenPagesLeaveWithoutAFold) {
  Rig rig(cached(2, CacheSize::fixed));
  rig.lines = kLinesPerPage;
  rig.run(40 * 16, 8, [](std::int64_t i, Address& address, bool& is_write) {
    address = line_address(i % 16);
    is_write = true;
  });
  rig.drain();
  const FtlStatistics& ftl = rig.statistics().ftl;
  EXPECT_GT(ftl.folds, 40u);
  EXPECT_LE(ftl.folded_pages, 16u);
}

// A dynamic cache takes the free blocks above the threshold of collection, so the burst shortens
// with the data. A fold frees a block and fills 1 / bits of another: bits / (bits - 1) folds make
// room for one more block of the cache.
TEST(SlcCache, ADynamicCacheHasTheFreeBlocks) {
  for (const double fill : {0.0, 0.25}) {
    NvdimmParameters parameters = cached(2, CacheSize::dynamic);
    parameters.precondition.fill = fill;
    const std::int64_t filled = fill == 0 ? 0 : 240;  // pages, in ten blocks
    Writer writer(parameters, filled);
    const std::int64_t block = kPages / 2;
    const std::int64_t blocks = kBlocks - filled / kPages - 3;
    const std::int64_t burst = blocks * block;
    writer.write(burst + 3 * block + 8);
    EXPECT_EQ(writer.between(0, burst - 1), (burst - 1) * kCached);
    for (int i = 0; i < 3; ++i) {
      const std::int64_t full = burst - 1 + i * block;
      EXPECT_EQ(writer.between(full, full + block), 2 * fold(block) + block * kCached) << i;
    }
    EXPECT_EQ(writer.rig.statistics().ftl.gc_count, 0u);
  }
}

// A full drive has no free blocks to spare: pages are written directly.
TEST(SlcCache, AFullDriveHasNoDynamicCacheButAStaticOne) {
  for (const CacheSize size : {CacheSize::fixed, CacheSize::dynamic}) {
    NvdimmParameters parameters = cached(2, size);
    parameters.precondition.fill = 1;
    parameters.precondition.overwrite = 2;
    Writer writer(parameters);
    writer.write(40);
    EXPECT_EQ(writer.rig.statistics().ftl.cached_pages > 30, size == CacheSize::fixed);
    Tick shortest = writer.between(0, 1);
    for (std::int64_t page = 1; page < 30; ++page) {
      shortest = earlier(shortest, writer.between(page, page + 1));
    }
    EXPECT_EQ(shortest, size == CacheSize::fixed ? kCached : kDirect);
  }
}

// Capacity of a static cache is not the data's, and cells of one bit have no cache.
TEST(SlcCache, ItsBlocksAreSetAside) {
  NvdimmParameters parameters = cached(2, CacheSize::fixed);
  parameters.nand.slc_blocks = kBlocks - 8;
  EXPECT_TRUE(testing::names(join_errors(parameters.check()), {"nvdimm.ftl.over_provisioning"}));
  parameters.ftl.slc_size = CacheSize::dynamic;
  EXPECT_EQ(join_errors(parameters.check()), "");
  parameters.nand.cell_bits = 1;
  EXPECT_TRUE(testing::names(join_errors(parameters.check()), {"nvdimm.nand.slc_blocks: "}));
}

// A block continues in its mode after a rebuild, and blocks that were full stay full.
TEST(SlcCache, RebuildsKeepTheModeOfBlocks) {
  FtlShape shape = one_lun(12, 8, 100);
  shape.cache_blocks = 3;
  shape.cache_pages = 4;
  shape.cache_free = 3;
  Ftl ftl(shape);
  FlashMedia media(shape.blocks, shape.pages);
  ftl.set_media(&media);
  const auto write = [&ftl](std::int64_t page) {
    ftl.claims().claim_on(0, 1);
    const PhysicalPage at = ftl.allocate(0, WriteStream::cached);
    ftl.commit(LogicalPage(page), at);
    return at;
  };
  for (std::int64_t page = 0; page < 10; ++page) {
    EXPECT_TRUE(ftl.one_bit(write(page)));
    ftl.rebuild();
    count_pages(ftl, 0);
  }
  EXPECT_EQ(ftl.blocks(0).cached(), 2u);
  EXPECT_FALSE(ftl.blocks(0).cache_full());
  write(10);
  write(11);
  ftl.rebuild();
  EXPECT_TRUE(ftl.blocks(0).cache_full());
  EXPECT_FALSE(ftl.one_bit(write(12)));
  UntimedWork work;
  collect_untimed(ftl, 0, work);
  EXPECT_EQ(work.gc_pages, 4u);
  EXPECT_TRUE(ftl.one_bit(write(13)));
}

}  // namespace
}  // namespace hmsim
