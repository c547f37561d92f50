// SPDX-License-Identifier: BSD-3-Clause
// How many valid pages must an FTL have room for?
#include <gtest/gtest.h>

#include <algorithm>

#include "nvdimm/flash_shape.h"

namespace hmsim {
namespace {

NvdimmParameters with_dynamic_allocation(std::int64_t parts, std::int64_t commands,
                                         std::int64_t frames) {
  NvdimmParameters parameters;  // 8 LUNs
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
