// SPDX-License-Identifier: BSD-3-Clause
// Free blocks of one LUN, ordered by wear. The least worn one is used next (dynamic wear
// levelling).
//
// Invariant: blocks first_ to end_ - 1 are bad or fresh, which is free and never erased. They need
// no memory. The heap holds all other free blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/zeroed_array.h"
#include "nvdimm/ftl/flash_block.h"

namespace hmsim {

class FreeBlocks {
 public:
  // `blocks`: the LUN's records, which must outlive the object. All are fresh, or will be `bad`.
  FreeBlocks(const ZeroedArray<FlashBlock>& blocks, std::uint32_t bad)
      : blocks_(blocks.data()),
        end_(static_cast<std::uint32_t>(blocks.size())),
        fresh_(end_ - bad) {}

  std::uint32_t count() const { return fresh_ + static_cast<std::uint32_t>(heap_.size()); }

  // Returns whether the block is in the run of bad and fresh blocks, which ends before run_end().
  bool in_run(std::uint32_t block) const { return block >= first_ && block < end_; }
  std::uint32_t run_end() const { return end_; }

  void add(std::uint32_t block, std::uint32_t erases) {
    heap_.push_back(key(block, erases));
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // Removes and returns the free block with the fewest erases; ties go to the lowest number. The
  // list must not be empty.
  std::uint32_t take_least_worn() {
    if (fresh_ > 0 && (heap_.empty() || heap_.front() > key(first_, 0))) {
      --fresh_;
      while (blocks_[first_].bad()) {
        ++first_;
      }
      return first_++;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto block = static_cast<std::uint32_t>(heap_.back());
    heap_.pop_back();
    return block;
  }
  // Removes and returns the free block with the most erases; ties go to the highest number. The
  // list must not be empty. O(n) of the blocks that are not fresh.
  std::uint32_t take_most_worn() {
    const auto most = std::max_element(heap_.begin(), heap_.end());
    if (fresh_ > 0 && (most == heap_.end() || *most < key(first_, 0))) {
      --fresh_;
      do {
        --end_;
      } while (blocks_[end_].bad());
      return end_;
    }
    const auto block = static_cast<std::uint32_t>(*most);
    *most = heap_.back();
    heap_.pop_back();
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    return block;
  }
  // Replaces the list with the blocks that are free according to their records. The longest run of
  // bad and fresh blocks becomes first_ to end_ - 1.
  void list(std::uint32_t count) {
    first_ = end_ = fresh_ = 0;
    heap_.clear();
    for (std::uint32_t begin = 0, block = 0; block <= count; ++block) {
      if (block == count || !(blocks_[block].bad() || fresh(block))) {
        if (block - begin > end_ - first_) {
          first_ = begin;
          end_ = block;
        }
        begin = block + 1;
      }
    }
    for (std::uint32_t block = 0; block < count; ++block) {
      if (in_run(block)) {
        fresh_ += fresh(block) ? 1 : 0;
      } else if (blocks_[block].state == BlockState::free) {
        heap_.push_back(key(block, blocks_[block].erases));
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

 private:
  static std::uint64_t key(std::uint32_t block, std::uint32_t erases) {
    return std::uint64_t{erases} << 32 | block;
  }
  bool fresh(std::uint32_t block) const {
    return blocks_[block].state == BlockState::free && blocks_[block].erases == 0;
  }

  const FlashBlock* blocks_;
  std::uint32_t first_ = 0;
  std::uint32_t end_;
  std::uint32_t fresh_;
  std::vector<std::uint64_t> heap_;  // erases << 32 | block
};

}  // namespace hmsim
