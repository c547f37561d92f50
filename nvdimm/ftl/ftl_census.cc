// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl_census.h"

namespace hmsim {

FtlCensus count_pages(const Ftl& ftl, std::uint32_t lun) {
  const FtlShape& shape = ftl.shape();
  const LunBlocks& blocks = ftl.blocks(lun);
  FtlCensus census;
  for (std::uint32_t number = 0; number < shape.blocks; ++number) {
    const FlashBlock& block = blocks[number];
    if (block.bad()) {
      require_mapping(block.valid == 0, "bad block with valid pages");
      continue;
    }
    // Pages that a block in one-bit mode lacks count as written and invalid.
    const std::uint32_t written = ftl.frontiers().written_pages(lun, number) +
                                  (block.one_bit() ? shape.pages - shape.cache_pages : 0);
    std::uint32_t valid = 0;
    for (std::uint32_t page = 0; page < shape.pages; ++page) {
      valid += ftl.pages().owner(shape.page_at(lun, number, page)) ? 1u : 0u;
    }
    require_mapping(valid == block.valid, "wrong count of valid pages in a block");
    // Pages that a failing block no longer takes become invalid at once.
    const std::uint32_t lost = block.state == BlockState::open ? shape.pages - block.end : 0;
    const std::uint32_t completed = block.state == BlockState::free ? 0 : block.completed + lost;
    census.free += shape.pages - written;
    census.in_flight += written - completed;
    census.valid += valid;
    census.invalid += completed - valid;
  }
  require_mapping(census.free == ftl.frontiers().free_pages(lun) &&
                      census.in_flight == blocks.in_flight() && census.valid == blocks.valid() &&
                      census.invalid == blocks.invalid(),
                  "wrong count of pages in a LUN");
  return census;
}

std::uint64_t bad_blocks(const Ftl& ftl) {
  std::uint64_t count = 0;
  for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
    count += ftl.blocks(lun).bad();
  }
  return count;
}

}  // namespace hmsim
