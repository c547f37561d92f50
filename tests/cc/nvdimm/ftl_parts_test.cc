// SPDX-License-Identifier: BSD-3-Clause
// Does each part of the FTL keep its invariant in isolation?
// How many valid pages must an FTL have room for?
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/ftl/claims.h"
#include "nvdimm/ftl/free_blocks.h"
#include "nvdimm/ftl/frontiers.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "nvdimm/ftl/page_map.h"
#include "nvdimm/ftl/wear_spread.h"
#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

// Two LUNs of 8 blocks of 4 pages.
FtlShape small_shape() {
  FtlShape shape;
  shape.luns = 2;
  shape.blocks = 8;
  shape.pages = 4;
  shape.logical_pages = 24;
  shape.stripe = {1, 0};
  return shape;
}

std::vector<LunBlocks> blocks_of(const FtlShape& shape) {
  std::vector<LunBlocks> luns;
  luns.reserve(shape.luns);
  for (std::uint32_t lun = 0; lun < shape.luns; ++lun) {
    luns.emplace_back(shape, lun, 1);
  }
  return luns;
}

// Free blocks leave by wear, then by number. The wear spread is as if counted afresh.
TEST(BlockWear, OrdersFreeBlocks) {
  ZeroedArray<FlashBlock> blocks(20);
  FreeBlocks free(blocks, 3);
  WearSpread spread(17);
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;  // erases and number
  for (const std::uint32_t i : {0, 7, 19}) {
    blocks[i].state = BlockState::bad;
    blocks[i].erases = 50;
  }
  for (std::uint32_t i = 1; i < 19; ++i) {
    if (i != 7) {
      expected.emplace(0, i);
    }
  }
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<std::uint32_t>(random.below(20));
    if (blocks[number].state == BlockState::open) {
      blocks[number].state = BlockState::free;
      if (i % 4 != 0) {
        spread.erased(blocks[number].erases++);
      }
      expected.emplace(blocks[number].erases, number);
      free.add(number, blocks[number].erases);
    } else if (!expected.empty()) {
      const bool most = number < 4;
      const auto next = most ? std::prev(expected.end()) : expected.begin();
      ASSERT_EQ(most ? free.take_most_worn() : free.take_least_worn(), next->second);
      blocks[next->second].state = BlockState::open;
      expected.erase(next);
    }
    if (i % 9 == 0) {
      free.list(20);
    }
    WearSpread afresh(0);
    afresh.count(blocks);
    ASSERT_EQ(free.count(), expected.size());
    ASSERT_EQ(spread.most(), afresh.most());
    ASSERT_EQ(spread.least(), afresh.least());
  }
}

TEST(Claims, FollowTheStripeIfThereIsRoom) {
  FtlShape shape = small_shape();
  const std::vector<LunBlocks> luns = blocks_of(shape);
  Claims claims(shape, luns);
  const auto any = [](std::uint32_t) { return true; };
  EXPECT_EQ(claims.claim(LogicalPage(0), any), 1u);
  EXPECT_EQ(claims.claim(LogicalPage(0), any), 0u);
  EXPECT_EQ(claims.claim(LogicalPage(0), [](std::uint32_t lun) { return lun == 0; }), 0u);
  claims.claim_on(1, static_cast<std::uint32_t>(shape.valid_limit()) - 1);
  EXPECT_FALSE(claims.has_room(1));
  EXPECT_EQ(claims.claim(LogicalPage(0), any), 0u) << "it was LUN 1's turn";
  claims.give_back(1, 1);
  EXPECT_TRUE(claims.has_room(1));
  EXPECT_FALSE(claims.has_room(1, 2));
}

TEST(Claims, AreOnThePagesHomeUnderStaticAllocation) {
  FtlShape shape = small_shape();
  shape.dynamic = false;
  const std::vector<LunBlocks> luns = blocks_of(shape);
  Claims claims(shape, luns);
  const auto none = [](std::uint32_t) { return false; };
  EXPECT_EQ(claims.claim(LogicalPage(4), none), 1u);
  EXPECT_EQ(claims.claim(LogicalPage(5), none, 3), 0u);
  claims.give_back(0, 3);
  EXPECT_THROW(claims.give_back(0, 1), Fault) << "there is no claim left";
}

TEST(Frontiers, StreamsFillSeparateBlocks) {
  const FtlShape shape = small_shape();
  std::vector<LunBlocks> luns = blocks_of(shape);
  Frontiers frontiers(shape, luns);
  EXPECT_EQ(frontiers.next_place(1, WriteStream::host), kNowhere) << "a block must be opened";
  EXPECT_EQ(frontiers.take(1, WriteStream::host), shape.page_at(1, 0, 0));
  EXPECT_EQ(frontiers.take(1, WriteStream::collection), shape.page_at(1, 1, 0));
  EXPECT_EQ(frontiers.next_place(1, WriteStream::host), shape.page_at(1, 0, 1));
  EXPECT_EQ(frontiers.take(1, WriteStream::host), shape.page_at(1, 0, 1));
  EXPECT_EQ(frontiers.written_pages(1, 0), 2u);
  EXPECT_EQ(frontiers.written_pages(1, 2), 0u);
  EXPECT_EQ(frontiers.free_pages(1), 8u * 4 - 3);
  EXPECT_EQ(frontiers.give_up(1, 0), 2u);
  EXPECT_EQ(frontiers.give_up(1, 0), 4u) << "it has no write point any more";
  EXPECT_EQ(frontiers.take(1, WriteStream::host), shape.page_at(1, 2, 0));
}

TEST(PageMap, APlaceBelongsToThePageThatTheMapHolds) {
  const FtlShape shape = small_shape();
  PageMap map(shape);
  EXPECT_EQ(map.read_lun(LogicalPage(3)), 0u) << "where its stripe puts it";
  map.set(LogicalPage(3), PhysicalPage(40));
  EXPECT_EQ(map.owner(PhysicalPage(40)), LogicalPage(3));
  EXPECT_EQ(map.read_lun(LogicalPage(3)), 1u);
  map.set(LogicalPage(3), PhysicalPage(7));
  EXPECT_FALSE(map.owner(PhysicalPage(40)).has_value());
  EXPECT_EQ(map.owner(PhysicalPage(7)), LogicalPage(3));
  map.remove(LogicalPage(3));
  EXPECT_FALSE(map.owner(PhysicalPage(7)).has_value());
  EXPECT_EQ(map.place(LogicalPage(3)), kNowhere);
}

TEST(PageMap, IsLoadedWithItsOwnersAndRejectsTwoPagesInOnePlace) {
  const FtlShape shape = small_shape();
  PageMap map(shape);
  map.set(LogicalPage(3), PhysicalPage(7));
  map.set(LogicalPage(4), PhysicalPage(9));
  PageMap twin(shape);
  testing::copy_state(map, twin);
  EXPECT_EQ(twin.owner(PhysicalPage(9)), LogicalPage(4));
  map.set(LogicalPage(4), PhysicalPage(7));
  Archive wrong;
  map.serialize(wrong);
  Archive damaged(wrong.bytes());
  EXPECT_THROW(twin.serialize(damaged), InputError);
}

NvdimmParameters with_dynamic_allocation(std::int64_t parts, std::int64_t commands,
                                         std::int64_t frames) {
  NvdimmParameters parameters = plain_nvdimm();  // 8 LUNs
  parameters.nand.page_size = parts * kPageBytes;
  parameters.capacity = Bytes(1LL << 30);
  parameters.command_queue = commands;
  parameters.buffer.write_size = frames * kPageBytes;
  return parameters;
}

// Flash needs room beyond the logical pages. First, for the pages that commands can send to flash
// at once; one flash page of these may be padded, or with merging each page fills a flash page.
// Second, for all parts but one of a flash page on each LUN, because a batch needs a whole flash
// page on a single LUN.
TEST(FtlShape, PagesOnTheirWayToFlashNeedRoomToo) {
  for (const std::int64_t parts : {1, 2, 4}) {
    for (const std::int64_t commands : {1, 3, 64}) {
      for (const std::int64_t frames : {1, 4, 65, 1024}) {
        NvdimmParameters parameters = with_dynamic_allocation(parts, commands, frames);
        const auto beyond = [&parameters] {
          const FtlShape shape = ftl_shape(parameters);
          return static_cast<std::int64_t>(shape.needed - shape.logical_pages);
        };
        const std::int64_t unused = 8 * (parts - 1);
        const std::int64_t combined = std::min(commands + parts - 1, frames);
        for (const PartialWrites mode : {PartialWrites::combine, PartialWrites::pad}) {
          parameters.ftl.partial_writes = mode;
          EXPECT_EQ(beyond(), combined + unused) << parts << " " << commands << " " << frames;
        }
        parameters.ftl.partial_writes = PartialWrites::merge;
        const std::int64_t merged = parts == 1 ? combined : parts * std::min(commands, frames);
        EXPECT_EQ(beyond(), merged + unused) << parts << " " << commands << " " << frames;
      }
    }
  }
}

// All translation pages, and one more per LUN, which is written while the old one is still valid.
TEST(FtlShape, TranslationPagesNeedRoom) {
  for (const std::int64_t parts : {1, 2, 4}) {
    NvdimmParameters parameters = with_dynamic_allocation(parts, 16, 1024);
    const std::uint64_t without = ftl_shape(parameters).needed;
    parameters.ftl.map = MapPlace::cached;
    const FtlShape shape = ftl_shape(parameters);
    const std::uint64_t entries = 4096 / 4 * static_cast<std::uint64_t>(parts);
    const std::uint64_t pages = (shape.logical_pages + entries - 1) / entries;
    EXPECT_EQ(shape.map_pages(), pages);
    EXPECT_EQ(shape.needed - without, (pages + 8) * static_cast<std::uint64_t>(parts));
  }
}

}  // namespace
}  // namespace hmsim
