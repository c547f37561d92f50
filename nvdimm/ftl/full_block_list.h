// SPDX-License-Identifier: BSD-3-Clause
// The full blocks of one LUN in three lists: unordered, by age, and in buckets by valid pages.
// Victim selectors see no other part of the FTL.
//
// Invariant: each of the three lists holds exactly the blocks in state `full`. Within a bucket,
// blocks are in the order of their last change. Buckets below fewest() are empty.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/slot_list.h"
#include "nvdimm/ftl/flash_block.h"
#include "policies/policy.h"

namespace hmsim {

class FullBlockList final : public FullBlocks {
 public:
  // `blocks`: the LUN's `count` records, which must outlive the list. `pages`: pages per block.
  FullBlockList(FlashBlock* blocks, std::uint32_t count, std::uint32_t pages);

  std::uint32_t count() const override { return static_cast<std::uint32_t>(full_.size()); }
  BlockView at(std::uint32_t index) const override { return view(full_[index]); }
  std::uint32_t oldest() const override { return filled_.first; }
  std::uint32_t pages() const override { return pages_; }
  std::uint32_t fewest() const override { return fewest_; }
  bool any_with(std::uint32_t valid) const override { return !buckets_[valid].empty(); }
  BlockView first_with(std::uint32_t valid) const override { return view(buckets_[valid].first); }
  bool next_alike(BlockView& current) const override;
  std::uint32_t least_worn(std::uint32_t erases) const override;

  // Moves fewest() up to the first non-empty bucket, or to pages() if all are empty. Call it before
  // a selector uses fewest().
  std::uint32_t find_fewest();
  // Returns the failing block that became full first. Precondition: a full block is failing.
  std::uint32_t first_failing() const;
  // Returns the block in one-bit mode that became full first. Precondition: there is one.
  std::uint32_t first_one_bit() const;

  void add(std::uint32_t block);
  void remove(std::uint32_t block);
  // Call leave_bucket() before, and enter_bucket() after, a change in the number of valid pages of
  // a listed block. The buckets are indexed by this number.
  void leave_bucket(std::uint32_t block);
  void enter_bucket(std::uint32_t block);

  // Returns the number of the LUN's pages that were committed or dropped so far: the clock that
  // block ages are measured by.
  std::uint64_t written() const { return written_; }
  void count_written() { ++written_; }

  void clear();
  void serialize_clock(Archive& archive) { archive(written_); }
  // Serializes the three orders. When loading, the records must already state which blocks are
  // full.
  void serialize_orders(Archive& archive);

 private:
  BlockView view(std::uint32_t number) const {
    const FlashBlock& block = blocks_[number];
    return {number, pages_, block.valid, block.erases, written_ - block.changed};
  }
  auto links(SlotLink FlashBlock::*link) { return links_of(blocks_, link); }
  std::vector<std::uint32_t> serialize_order(Archive& archive,
                                             const std::vector<std::uint32_t>& order) const;

  FlashBlock* blocks_;
  std::uint32_t block_count_;
  std::uint32_t pages_;
  std::vector<std::uint32_t> full_;  // unordered
  SlotList filled_;                  // oldest first
  std::vector<SlotList> buckets_;    // by valid pages
  std::uint32_t fewest_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace hmsim
