// SPDX-License-Identifier: BSD-3-Clause
// Numbers of one LUN's good blocks by their erases, updated incrementally.
#pragma once

#include <cstdint>
#include <vector>

#include "core/zeroed_array.h"
#include "nvdimm/ftl/flash_block.h"

namespace hmsim {

class WearSpread {
 public:
  // `blocks`: number of good blocks, none of which was erased.
  explicit WearSpread(std::uint32_t blocks) : blocks_{blocks} {}

  std::uint32_t most() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
  std::uint32_t least() const { return least_; }
  // Calls call(erases, blocks) for each number of erases.
  template <class Call>
  void each(Call call) const {
    for (std::uint32_t erases = least_; erases < blocks_.size(); ++erases) {
      call(erases, blocks_[erases]);
    }
  }

  // Recounts the blocks.
  void count(const ZeroedArray<FlashBlock>& blocks) {
    blocks_.assign(1, 0);
    for (const FlashBlock& block : blocks) {
      if (block.bad()) {
        continue;
      }
      if (block.erases >= blocks_.size()) {
        blocks_.resize(std::size_t{block.erases} + 1);
      }
      ++blocks_[block.erases];
    }
    least_ = 0;
    while (blocks_[least_] == 0 && least_ + 1 < blocks_.size()) {
      ++least_;
    }
  }

  // Counts one more erase of a good block that had `erases` erases.
  void erased(std::uint32_t erases) {
    --blocks_[erases];
    if (erases + 1 == blocks_.size()) {
      blocks_.push_back(0);
    }
    ++blocks_[erases + 1];
    while (blocks_[least_] == 0) {
      ++least_;
    }
  }

 private:
  std::vector<std::uint32_t> blocks_;  // number of blocks, by erases
  std::uint32_t least_ = 0;
};

}  // namespace hmsim
