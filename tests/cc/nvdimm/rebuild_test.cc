// SPDX-License-Identifier: BSD-3-Clause
// Does an FTL that is rebuilt from the cells have the state that it had before the rebuild?
#include <gtest/gtest.h>

#include "nvdimm/precondition.h"

namespace hmsim {
namespace {

FtlShape small_shape() {
  FtlShape shape;
  shape.blocks = 12;
  shape.pages = 4;
  shape.logical_pages = 20;
  shape.shared_frontier = true;
  shape.stripe = {0};
  return shape;
}

class Rebuild : public ::testing::Test {
 protected:
  Rebuild() : ftl_(small_shape(), {victim_selector("fifo", {})}), media_(12, 4) {
    ftl_.set_media(&media_);
  }

  void write(std::int64_t page) { write_untimed(ftl_, LogicalPage(page), work_); }
  // Writes in rounds: blocks become free completely, and wear is uneven.
  void write_rounds(int pages) {
    for (int i = 0; i < pages; ++i) {
      write(i % 20);
    }
  }
  PhysicalPage claim() {
    ftl_.claims().claim_on(0, 1);
    return ftl_.allocate(0, WriteStream::host);
  }

  Ftl ftl_;
  FlashMedia media_;
  UntimedWork work_;
};

TEST_F(Rebuild, VersionsContinueAfterThoseOfDiscards) {
  media_.discard(LogicalPage(1), 1000);
  media_.discard(LogicalPage(2), 3);
  EXPECT_EQ(media_.newest_discard(), 1000u);
  ftl_.rebuild();
  write(1);
  ftl_.rebuild();
  EXPECT_NE(ftl_.pages().place(LogicalPage(1)), kNowhere);
}

TEST_F(Rebuild, APageDiscardedDuringItsProgramStaysDiscarded) {
  write(3);
  ftl_.commit_discarded(LogicalPage(3), claim());
  ftl_.rebuild();
  EXPECT_EQ(ftl_.pages().place(LogicalPage(3)), kNowhere);
}

TEST_F(Rebuild, BlocksKeepTheOrderInWhichTheyWereFilled) {
  Ftl twin(small_shape(), {victim_selector("fifo", {})});
  UntimedWork work;
  for (int i = 0; i < 150; ++i) {
    write_untimed(twin, LogicalPage(i % 20), work);
  }
  write_rounds(150);
  ftl_.rebuild();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ftl_.victims().collectable(0) && twin.victims().collectable(0));
    EXPECT_EQ(ftl_.victims().take(0), twin.victims().take(0)) << i;
  }
}

TEST_F(Rebuild, TheLeastWornFreeBlockIsUsedNextAndTheMostWornForLevelling) {
  media_.erase(3);  // wear: 0 0 0 1 0 2 3 0 0 0 0 0
  for (const std::uint64_t block : {5, 5, 6, 6, 6}) {
    media_.erase(block);
  }
  media_.erase(0);
  ftl_.rebuild();
  for (const std::uint32_t block : {1, 2, 4, 7, 8, 9, 10, 11, 0, 3}) {
    for (std::uint32_t page = 0; page < 4; ++page) {
      EXPECT_EQ(ftl_.allocate(0, WriteStream::host), ftl_.shape().page_at(0, block, page));
    }
  }
  EXPECT_EQ(ftl_.allocate(0, WriteStream::levelling), ftl_.shape().page_at(0, 6, 0));
}

// An entry is dirty if its translation page differs. A page has few entries, or consecutive ones
// without gaps.
TEST(RebuildOfAMapInFlash, EntriesThatWereWrittenAreClean) {
  for (const std::uint64_t map_entries : {8, 1024}) {
    FtlShape shape = small_shape();
    shape.blocks = 100;  // entries of more than a byte
    shape.cached_entries = 7;
    shape.map_entries = map_entries;
    Ftl ftl(shape, {victim_selector("fifo", {})});
    FlashMedia media(shape.blocks, shape.pages);
    ftl.set_media(&media);
    UntimedWork work;
    for (int i = 0; i < 303; ++i) {
      write_untimed(ftl, LogicalPage(7 * i % 20), work);
    }
    const std::uint64_t dirty = ftl.map()->dirty_entries();
    EXPECT_GT(dirty, 0u);
    EXPECT_LE(dirty, shape.cached_entries);
    ftl.rebuild();
    EXPECT_EQ(ftl.map()->dirty_entries(), dirty) << map_entries;
    EXPECT_FALSE(ftl.map()->wants_write());
  }
}

TEST_F(Rebuild, AFailingBlockIsStillCollectedFirstAndRetired) {
  write_rounds(12);
  const PhysicalPage place = claim();
  const auto block = static_cast<std::uint32_t>(place.value() / 4);
  ftl_.commit(LogicalPage(15), place);
  ftl_.fail(claim(), 1);
  ftl_.rebuild();
  ASSERT_TRUE(ftl_.victims().due(0));
  EXPECT_EQ(ftl_.victims().take(0), block) << "not the one that fifo would take";
  ftl_.claims().claim_on(0, 1);
  ftl_.commit(LogicalPage(15), ftl_.allocate(0, WriteStream::host));
  ftl_.erase(0, block);
  EXPECT_TRUE(ftl_.blocks(0)[block].bad());
  ftl_.rebuild();
  EXPECT_TRUE(ftl_.blocks(0)[block].bad());
}

TEST_F(Rebuild, AClaimIsReturnedIfItsProgramFails) {
  ASSERT_TRUE(ftl_.claims().has_room(0));
  for (int i = 0; i < 6; ++i) {
    ftl_.fail(claim(), 1);
  }
  EXPECT_TRUE(ftl_.claims().has_room(0));
  for (std::uint64_t i = ftl_.shape().valid_limit(); i > 0; --i) {
    EXPECT_TRUE(ftl_.claims().has_room(0)) << i;
    ftl_.claims().claim_on(0, 1);
  }
  EXPECT_FALSE(ftl_.claims().has_room(0));
}

TEST_F(Rebuild, ABlockWithAnInterruptedEraseIsNotFree) {
  write_rounds(8);
  ftl_.rebuild();
  const std::uint32_t free = ftl_.blocks(0).free();
  const std::uint64_t torn = media_.torn_pages();
  media_.tear_block(11);
  EXPECT_EQ(media_.torn_pages(), torn + 4);
  media_.tear_block(11);
  EXPECT_EQ(media_.torn_pages(), torn + 4) << "torn already";
  ftl_.rebuild();
  EXPECT_EQ(ftl_.blocks(0).free(), free - 1);
  ASSERT_TRUE(ftl_.victims().collectable(0));
}

TEST_F(Rebuild, ErasesAreCountedInTheCellsToo) {
  write_rounds(200);
  for (std::uint32_t block = 0; block < 12; ++block) {
    EXPECT_EQ(media_.erases(block), ftl_.blocks(0)[block].erases);
  }
  EXPECT_GT(ftl_.blocks(0)[0].erases, 1u);
}

TEST_F(Rebuild, ACheckpointRestoresMarksAndDiscardsOfMedia) {
  media_.mark_bad(7);
  media_.discard(LogicalPage(4), 9);
  media_.tear_block(2);
  Archive saved;
  media_.serialize(saved);
  FlashMedia other(12, 4);
  other.discard(LogicalPage(5), 9);
  Archive loaded(saved.bytes());
  other.serialize(loaded);
  EXPECT_TRUE(loaded.at_end());
  EXPECT_TRUE(other.bad(7));
  EXPECT_FALSE(other.bad(6));
  EXPECT_EQ(other.discarded(LogicalPage(4)), 9u);
  EXPECT_EQ(other.discarded(LogicalPage(5)), 0u);
  EXPECT_EQ(other.torn_pages(), 4u);
}

}  // namespace
}  // namespace hmsim
