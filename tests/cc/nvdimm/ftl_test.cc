// SPDX-License-Identifier: BSD-3-Clause
// Does the FTL keep consistent records of pages and blocks, and how much does it amplify writes?
#include "nvdimm/ftl/ftl.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.h"
#include "core/random.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/ftl/ftl_census.h"
#include "nvdimm/precondition.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

LogicalPage page_number(std::uint64_t page) { return LogicalPage(static_cast<std::int64_t>(page)); }

// Fills sequentially, then overwrites uniformly at random. Returns the amplification of the second
// half.
double uniform_amplification(const FtlShape& shape, std::uint64_t drive_writes) {
  Ftl ftl(shape);
  Random random(11);
  UntimedWork work;
  for (std::uint64_t page = 0; page < shape.logical_pages; ++page) {
    write_untimed(ftl, page_number(page), work);
  }
  const std::uint64_t half = drive_writes * shape.logical_pages / 2;
  for (std::uint64_t i = 0; i < 2 * half; ++i) {
    if (i == half) {
      work = UntimedWork();
    }
    write_untimed(ftl, page_number(random.below(shape.logical_pages)), work);
  }
  return static_cast<double>(work.host_pages + work.gc_pages) /
         static_cast<double>(work.host_pages);
}

// Monte-Carlo values for greedy victims among 256 blocks of 128 pages with 2 spare blocks.
TEST(Ftl, UniformOverwritesOfASmallDriveAmplifyAsGreedyShould) {
  EXPECT_NEAR(uniform_amplification(one_lun(256, 128, 28), 20), 2.51, 0.03 * 2.51);
  EXPECT_NEAR(uniform_amplification(one_lun(256, 128, 15), 20), 4.12, 0.03 * 4.12);
  EXPECT_NEAR(uniform_amplification(one_lun(256, 128, 7), 20), 8.28, 0.04 * 8.28);
}

TEST(Ftl, SequentialOverwritesDoNotAmplify) {
  for (const bool shared : {false, true}) {
    FtlShape shape = one_lun(64, 32, 20);
    shape.shared_frontier = shared;
    Ftl ftl(shape);
    UntimedWork work;
    for (std::uint64_t i = 0; i < 10 * shape.logical_pages; ++i) {
      write_untimed(ftl, page_number(i % shape.logical_pages), work);
    }
    EXPECT_EQ(work.gc_pages, 0u);
    EXPECT_GT(ftl.blocks(0)[0].erases, 0u);
  }
}

TEST(Ftl, EveryPageIsFreeOrValidOrInvalidAfterEveryWrite) {
  for (const bool dynamic : {false, true}) {
    for (const bool shared : {false, true}) {
      FtlShape shape = one_lun(12, 8, 1);
      shape.luns = 3;
      shape.stripe = {2, 0, 1};
      shape.dynamic = dynamic;
      shape.shared_frontier = shared;
      shape.logical_pages = 3 * shape.valid_limit() - (dynamic ? 1 : 0);  // as full as possible
      Ftl ftl(shape);
      Random random(5);
      UntimedWork work;
      for (int i = 0; i < 20000; ++i) {
        write_untimed(ftl, page_number(random.below(shape.logical_pages)), work);
        if (i % 16 == 0) {
          FtlCensus total;
          for (std::uint32_t lun = 0; lun < shape.luns; ++lun) {
            const FtlCensus census = count_pages(ftl, lun);
            ASSERT_EQ(census.free + census.valid + census.invalid, 12u * 8u);
            ASSERT_EQ(census.in_flight, 0u);
            ASSERT_LE(census.valid, shape.valid_limit());
            total.valid += census.valid;
          }
          ASSERT_LE(total.valid, shape.logical_pages);
        }
      }
      EXPECT_GT(work.gc_pages, 0u);
    }
  }
}

TEST(Ftl, ReadsBackThePlaceOfTheLastWrite) {
  FtlShape shape = one_lun(16, 8, 50);
  Ftl ftl(shape);
  Random random(9);
  UntimedWork work;
  std::vector<bool> written(shape.logical_pages);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t page = random.below(shape.logical_pages);
    write_untimed(ftl, page_number(page), work);
    written[page] = true;
    const std::uint64_t other = random.below(shape.logical_pages);
    const PhysicalPage at = ftl.pages().place(page_number(other));
    ASSERT_EQ(at != kNowhere, written[other]);
    if (written[other]) {
      ASSERT_EQ(ftl.pages().owner(at), page_number(other));
    }
  }
}

TEST(Ftl, LeastWornFreeBlockIsUsedNext) {
  FtlShape shape = one_lun(64, 16, 30);
  Ftl ftl(shape);
  Random random(2);
  UntimedWork work;
  for (std::uint64_t i = 0; i < 200 * shape.logical_pages; ++i) {
    write_untimed(ftl, page_number(random.below(shape.logical_pages)), work);
  }
  std::uint32_t least = ~0u;
  std::uint32_t most = 0;
  for (std::uint32_t block = 0; block < shape.blocks; ++block) {
    least = std::min(least, ftl.blocks(0)[block].erases);
    most = std::max(most, ftl.blocks(0)[block].erases);
  }
  EXPECT_GT(least, 100u);
  EXPECT_LT(most - least, most / 4) << least << " .. " << most;
}

TEST(Ftl, StripeOrderSelectsTheLunThatVariesFastest) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.nand.dies = 2;  // 4 channels, 2 chips, 2 dies; LUN = (channel * 2 + chip) * 2 + die
  const auto first_luns = [&parameters](const char* order) {
    parameters.ftl.order = order;
    const FtlShape shape = ftl_shape(parameters);
    return std::vector<std::uint32_t>(shape.stripe.begin(), shape.stripe.begin() + 5);
  };
  EXPECT_EQ(first_luns("CWDP"), (std::vector<std::uint32_t>{0, 4, 8, 12, 2}));
  EXPECT_EQ(first_luns("WCDP"), (std::vector<std::uint32_t>{0, 2, 4, 6, 8}));
  EXPECT_EQ(first_luns("PDWC"), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  parameters.nand.planes = 2;
  EXPECT_EQ(first_luns("DCWP"), (std::vector<std::uint32_t>{0, 1, 4, 5, 8}));
  EXPECT_EQ(first_luns("CWDP"), (std::vector<std::uint32_t>{0, 4, 8, 12, 2}));
}

// A failing block is due for collection even if many blocks are free.
TEST(Ftl, ABlockThatFailsIsCollectedAtOnce) {
  Ftl ftl(one_lun(64, 16, 50));
  UntimedWork work;
  write_untimed(ftl, page_number(3), work);
  EXPECT_FALSE(ftl.victims().due(0));
  ftl.claims().claim_on(0, 1);
  const PhysicalPage at = ftl.allocate(0, WriteStream::host);
  ftl.fail(at, 1);
  EXPECT_TRUE(ftl.victims().collectable(0));
  EXPECT_TRUE(ftl.victims().due(0));
  EXPECT_FALSE(ftl.victims().pressing(0));
  EXPECT_EQ(ftl.victims().take(0), 0u);
  EXPECT_FALSE(ftl.victims().due(0));
}

// A flash page of 4 KiB holds a single page, so no pages merge.
TEST(Ftl, OnlyPagesThatShareAFlashPageAreMerged) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.ftl.partial_writes = PartialWrites::merge;
  for (const std::int64_t parts : {1, 2, 4}) {
    parameters.nand.page_size = parts * kPageBytes;
    EXPECT_EQ(ftl_shape(parameters).merge, parts > 1) << parts;
    EXPECT_EQ(ftl_shape(parameters).batch(), parts);
  }
}

// Writes stop as soon as the next block can be opened; then more blocks may need collection.
TEST(Ftl, CollectionReportsTheNumberOfCollectedBlocks) {
  FtlShape shape = one_lun(64, 16, 20);
  shape.shared_frontier = false;
  Ftl ftl(shape);
  const auto erased = [&] {
    std::uint64_t sum = 0;
    for (std::uint32_t block = 0; block < shape.blocks; ++block) {
      sum += ftl.blocks(0)[block].erases;
    }
    return sum;
  };
  Random random(3);
  UntimedWork written;
  UntimedWork collected;
  for (std::uint64_t i = 0; i < 10 * shape.logical_pages; ++i) {
    write_untimed(ftl, page_number(random.below(shape.logical_pages)), written);
    collect_untimed(ftl, 0, collected);
    ASSERT_FALSE(ftl.victims().due(0));
  }
  EXPECT_GT(collected.collected_blocks, 0u);
  EXPECT_EQ(written.collected_blocks + collected.collected_blocks, erased());
}

// Pages with a fixed place fill complete stripes.
TEST(Ftl, FixedAllocationNeedsWholeStripes) {
  for (const std::int64_t capacity : {60, 64}) {
    NvdimmParameters parameters = plain_nvdimm();  // 8 LUNs
    parameters.capacity = capacity * Bytes(1 << 20);
    parameters.ftl.allocation = PageAllocation::fixed;
    const FtlShape shape = ftl_shape(parameters);
    EXPECT_EQ(shape.needed % shape.luns, 0u);
    EXPECT_GE(shape.needed, shape.logical_pages);
    EXPECT_LT(shape.needed, shape.logical_pages + shape.luns);
  }
}

// With fixed places a LUN needs room for its own pages; otherwise all LUNs together need room for
// all.
TEST(Ftl, TheFirstBadBlockThatLeavesTooLittleRoomIsRejected) {
  for (const bool dynamic : {false, true}) {
    FtlShape shape = one_lun(32, 8, 200);
    shape.luns = 2;
    shape.stripe = {0, 1};
    shape.dynamic = dynamic;
    shape.needed = 64 + (dynamic ? shape.valid_limit() : 64);  // 64 of them on the first
    Ftl ftl(shape);
    const auto write = [&ftl] {  // the same page repeatedly
      ftl.claims().claim_on(0, 1);
      ftl.commit(LogicalPage(0), ftl.allocate(0, WriteStream::host));
    };
    const auto any_without_valid_pages = [&] {
      for (std::uint32_t block = 0; block < shape.blocks; ++block) {
        if (!ftl.blocks(0)[block].bad() && ftl.frontiers().written_pages(0, block) == shape.pages &&
            ftl.blocks(0)[block].valid == 0) {
          return true;
        }
      }
      return false;
    };
    const auto enough = [&shape](std::uint32_t bad) { return shape.valid_limit(bad) >= 64; };
    std::uint32_t bad = 0;
    do {
      while (!any_without_valid_pages()) {
        write();
      }
      ++bad;
      const std::uint32_t block = ftl.victims().take(0);
      if (enough(bad)) {
        ASSERT_NO_THROW(ftl.retire(0, block)) << bad;
      } else {
        ASSERT_THROW(ftl.retire(0, block), InputError) << bad;
      }
    } while (enough(bad));
    EXPECT_GT(bad, 10u);
    EXPECT_GT(ftl.blocks(0).free(), 0u);
  }
}

TEST(Ftl, APagePaddedFromItsFirstPartOnHoldsNothing) {
  FtlShape shape = one_lun(16, 8, 100);
  shape.part_bits = 2;
  Ftl ftl(shape);
  ftl.pad(ftl.allocate(0, WriteStream::host));
  const FtlCensus census = count_pages(ftl, 0);
  EXPECT_EQ(census.in_flight, 0u);
  EXPECT_EQ(census.invalid, 4u);
}

TEST(Ftl, DynamicAllocationPrefersIdleLuns) {
  FtlShape shape = one_lun(16, 8, 50);
  shape.luns = 4;
  shape.stripe = {0, 1, 2, 3};
  Ftl ftl(shape);
  const auto all = [](std::uint32_t) { return true; };
  EXPECT_EQ(ftl.claims().claim(LogicalPage(9), all), 0u);
  EXPECT_EQ(ftl.claims().claim(LogicalPage(9), all), 1u);
  EXPECT_EQ(ftl.claims().claim(LogicalPage(9), [](std::uint32_t lun) { return lun != 2; }), 3u);
  EXPECT_EQ(ftl.claims().claim(LogicalPage(9), all), 0u);
  EXPECT_EQ(ftl.claims().claim(LogicalPage(9), [](std::uint32_t) { return false; }), kNoIndex);
}

TEST(Ftl, PreconditioningLeavesALunAtItsThreshold) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.capacity = Bytes(256LL << 20);
  parameters.buffer.write_size = Bytes(1 << 20);
  parameters.ftl.over_provisioning = 15;
  ASSERT_TRUE(parameters.check().empty());
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 1;
  Ftl ftl(ftl_shape(parameters));
  const UntimedWork work = precondition(ftl, parameters.precondition, 1);
  EXPECT_EQ(work.host_pages, 2 * ftl.shape().logical_pages);
  for (std::uint32_t lun = 0; lun < 8; ++lun) {
    EXPECT_GE(ftl.blocks(lun).free() + 1, ftl.shape().gc_threshold);
    EXPECT_LE(ftl.blocks(lun).free(), ftl.shape().gc_threshold);
  }
  Ftl sequential(ftl_shape(parameters));
  parameters.precondition.pattern = PreconditionPattern::sequential;
  EXPECT_EQ(precondition(sequential, parameters.precondition, 1).gc_pages, 0u);
}

void expect_checkpoint_holds_all(const std::string& victim) {
  FtlShape shape = one_lun(32, 16, 20);
  shape.shared_frontier = false;
  shape.wear_gap = 10;
  Ftl first(shape, {victim_selector(victim, {})});
  Random random(4);
  UntimedWork work;
  const auto write_some = [&](Ftl& ftl, Random& numbers) {
    for (int i = 0; i < 3000; ++i) {
      write_untimed(ftl, page_number(numbers.below(shape.logical_pages)), work);
    }
  };
  const auto saved = [](Ftl& ftl) {
    Archive archive;
    ftl.serialize(archive);
    return archive.bytes();
  };
  write_some(first, random);
  const std::string bytes = saved(first);
  Ftl second(shape, {victim_selector(victim, {})});
  Archive load(bytes);
  second.serialize(load);
  EXPECT_TRUE(load.at_end());
  EXPECT_EQ(saved(second), bytes);
  Random same = random;
  write_some(first, random);
  write_some(second, same);
  EXPECT_EQ(saved(first), saved(second));

  Archive damaged(bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(second.serialize(damaged), InputError);
}

TEST(Ftl, CheckpointHoldsTheWholeState) {
  for (const std::string& victim : policy_names(PolicyKind::victim_selector)) {
    expect_checkpoint_holds_all(victim);
  }
}

// Writes a page `times` times; the FTL chooses LUN and block.
void write(Ftl& ftl, std::uint64_t page, int times = 1) {
  UntimedWork work;
  for (int i = 0; i < times; ++i) {
    write_untimed(ftl, page_number(page), work);
  }
}

struct Rebuilt {
  explicit Rebuilt(const FtlShape& shape)
      : media(shape.luns * shape.blocks, shape.pages), ftl(shape) {
    ftl.set_media(&media);
  }
  FlashMedia media;
  Ftl ftl;
};

// Old copies of a page are at lower and at higher places than the newest one. A copy that
// collection made counts as the newest.
TEST(Ftl, TheNewestCopyCountsWhereverItIs) {
  Rebuilt state(one_lun(12, 4, 100));
  Random random(4);
  for (int i = 0; i < 400; ++i) {
    write(state.ftl, random.below(state.ftl.shape().logical_pages));
    std::vector<std::uint64_t> versions;
    for (std::uint64_t page = 0; page < state.ftl.shape().logical_pages; ++page) {
      const PhysicalPage at = state.ftl.pages().place(page_number(page));
      versions.push_back(at == kNowhere ? 0 : state.media.spare(at).version);
    }
    state.ftl.rebuild();
    for (std::uint64_t page = 0; page < state.ftl.shape().logical_pages; ++page) {
      const PhysicalPage at = state.ftl.pages().place(page_number(page));
      ASSERT_EQ(at == kNowhere ? 0 : state.media.spare(at).version, versions[page]) << i;
    }
    count_pages(state.ftl, 0);
  }
}

TEST(Ftl, APageDiscardedRightAfterItsProgramStaysDiscarded) {
  Rebuilt state(one_lun(12, 4, 100));
  write(state.ftl, 5);
  EXPECT_TRUE(state.ftl.trim(page_number(5)));
  state.ftl.rebuild();
  EXPECT_EQ(state.ftl.pages().place(page_number(5)), kNowhere);
  write(state.ftl, 5);
  state.ftl.rebuild();
  EXPECT_NE(state.ftl.pages().place(page_number(5)), kNowhere) << "what is written later counts";
}

}  // namespace
}  // namespace hmsim
