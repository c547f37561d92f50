// SPDX-License-Identifier: BSD-3-Clause
// Free blocks of one LUN, ordered by wear. The least worn one is used next (dynamic wear
// levelling).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "nvdimm/ftl/flash_block.h"

namespace hmsim {

class FreeBlocks {
 public:
  std::uint32_t count() const { return static_cast<std::uint32_t>(heap_.size()); }

  void add(std::uint32_t block, std::uint32_t erases) {
    heap_.push_back(std::uint64_t{erases} << 32 | block);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // Removes and returns the free block with the fewest erases; ties go to the lowest number. The
  // list must not be empty.
  std::uint32_t take_least_worn() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto block = static_cast<std::uint32_t>(heap_.back());
    heap_.pop_back();
    return block;
  }
  // Removes and returns the free block with the most erases; ties go to the highest number. The
  // list must not be empty. O(n).
  std::uint32_t take_most_worn() {
    const auto most = std::max_element(heap_.begin(), heap_.end());
    const auto block = static_cast<std::uint32_t>(*most);
    *most = heap_.back();
    heap_.pop_back();
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    return block;
  }
  // Replaces the list with those of `blocks` that are free.
  void list(const std::vector<FlashBlock>& blocks) {
    heap_.clear();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].state == BlockState::free) {
        heap_.push_back(std::uint64_t{blocks[i].erases} << 32 | i);
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

 private:
  std::vector<std::uint64_t> heap_;  // erases << 32 | block
};

}  // namespace hmsim
