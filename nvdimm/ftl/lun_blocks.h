// SPDX-License-Identifier: BSD-3-Clause
// The blocks of one LUN: their states, valid pages and erases, and the sets of free, full, failing
// and bad blocks.
//
// Invariant: a block is free, open, full, a victim or bad. Opening it for programs moves it from
// free to open; its last page makes it full; take() makes it a victim; an erase makes it free or
// bad. Pages of a block complete in order. Each page of a good block is free, in flight, valid or
// invalid.
//
// A block in one-bit mode ends after FtlShape::cache_pages pages; the pages beyond its end count as
// invalid from its opening on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/zeroed_array.h"
#include "nvdimm/ftl/flash_block.h"
#include "nvdimm/ftl/free_blocks.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/full_block_list.h"
#include "nvdimm/ftl/wear_spread.h"

namespace hmsim {

// An invariant of the page-level mapping.
inline void require_mapping(bool condition, std::string_view message) {
  ensure(condition, "ftl", Tick(0), -1, message);
}

// Raises the error that the LUN has `bad` bad blocks and the rest does not suffice.
[[noreturn]] void raise_worn_out(std::uint32_t lun, std::uint32_t bad);

class LunBlocks {
 public:
  // Starts with all blocks free except the factory-bad ones, which are drawn from `seed`. `shape`
  // must outlive the object.
  LunBlocks(const FtlShape& shape, std::uint32_t lun, std::uint64_t seed);
  LunBlocks(LunBlocks&&) = default;
  LunBlocks& operator=(LunBlocks&&) = delete;

  const FlashBlock& operator[](std::uint32_t block) const { return blocks_[block]; }
  std::uint32_t free() const { return free_.count(); }    // blocks
  std::uint32_t bad() const { return bad_; }              // blocks
  std::uint32_t cached() const { return cached_full_; }   // full blocks in one-bit mode
  std::uint32_t failing() const { return failing_; }      // full blocks to be retired
  std::uint64_t in_flight() const { return in_flight_; }  // pages
  std::uint64_t valid() const { return valid_; }          // pages
  std::uint64_t invalid() const { return invalid_; }      // pages, including padding
  const FullBlockList& full() const { return full_; }
  const WearSpread& wear() const { return wear_; }

  // Returns the number of free blocks below which collection is due. The SLC cache's unused reserve
  // counts as not free. kNoIndex: in any case, because the cache is full.
  std::uint32_t due_below() const { return due_below_; }
  bool cache_full() const { return due_below_ == kNoIndex; }
  // Returns whether the SLC cache may open a block.
  bool may_cache() const {
    return cache_ < shape_->cache_blocks && free_.count() >= shape_->cache_free;
  }
  // Returns the full block to empty for the cache: its oldest one, or a block without valid pages
  // if the cache lacks only free blocks. Requires cache_full() and find_fewest().
  std::uint32_t cache_victim() const {
    return cache_ < shape_->cache_blocks && full_.fewest() == 0 ? full_.first_with(0).block
                                                                : full_.first_one_bit();
  }
  // Returns the valid pages that the LUN may hold (FtlShape::valid_limit).
  std::uint64_t valid_limit() const { return valid_limit_; }

  // Calls call(block) in ascending order for all blocks that are bad or were opened, and maybe for
  // some that were not.
  template <class Call>
  void for_used(Call call) const {
    for (std::uint32_t block = 0; block < shape_->blocks; ++block) {
      if (bad_ == 0 && free_.in_run(block)) {
        block = free_.run_end() - 1;
      } else if (!free_.in_run(block) || blocks_[block].bad()) {
        call(block);
      }
    }
  }

  // Opens the least or the most worn free block for the stream, kCacheStream in one-bit mode. There
  // must be one.
  std::uint32_t open(bool most_worn, std::uint32_t stream = 0);
  // Begins the program of a flash page of an open block.
  void begin_program() { in_flight_ += shape_->parts(); }
  // Count a page of the block as valid, or as no longer valid.
  void add_valid(std::uint32_t block);
  void invalidate(std::uint32_t block);
  // Counts allocated pages without data: padding, and pages that were superseded or failed.
  void add_invalid(std::uint64_t pages) { invalid_ += pages; }
  // Ends the program of a page that was committed or dropped. The last one makes the block full.
  void complete(std::uint32_t block, std::uint32_t page);

  std::uint32_t find_fewest() { return full_.find_fewest(); }
  void take(std::uint32_t block);  // makes a full block a victim
  void erase(std::uint32_t block);
  void retire(std::uint32_t block);
  // Handles a failed program in the open block, which takes no pages from `end` on and will be
  // retired.
  void fail(std::uint32_t block, std::uint32_t end);
  // Raises the error for a write that finds no free page.
  [[noreturn]] void raise_no_page() const;

  // Continues from these records. `full`: the full blocks, oldest first.
  void restore(const std::vector<FlashBlock>& blocks, const std::vector<std::uint32_t>& full);

  // Serialize in this order: serialize_blocks() of all LUNs; the map; if loading, restore_valid()
  // for each mapped page, which checks the page's block and counts the page as valid; serialize()
  // of all LUNs.
  void serialize_blocks(Archive& archive);
  void restore_valid(const Archive& archive, std::uint32_t block, std::uint32_t page);
  void serialize(Archive& archive);

 private:
  // Recompute what follows from the numbers of blocks. count_modes() first counts them.
  void plan();
  void count_modes();

  const FtlShape* shape_;
  std::uint32_t lun_;
  ZeroedArray<FlashBlock> blocks_;
  FullBlockList full_;
  FreeBlocks free_;
  WearSpread wear_;
  std::uint64_t in_flight_ = 0;
  std::uint64_t valid_ = 0;
  std::uint64_t invalid_ = 0;
  std::uint32_t bad_ = 0;
  std::uint32_t failing_ = 0;
  std::uint32_t cache_ = 0;        // blocks in one-bit mode
  std::uint32_t cached_open_ = 0;  // those that are open
  std::uint32_t cached_full_ = 0;
  std::uint32_t due_below_ = 0;
  std::uint64_t valid_limit_ = 0;
};

}  // namespace hmsim
