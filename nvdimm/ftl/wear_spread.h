// SPDX-License-Identifier: BSD-3-Clause
// How often the good blocks of one LUN were erased: the most and the least, kept up to date.
#pragma once

#include <cstdint>
#include <vector>

#include "nvdimm/ftl/flash_block.h"

namespace hmsim {

class WearSpread {
 public:
  std::uint32_t most() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
  std::uint32_t gap() const { return most() - least_; }

  // Counts the blocks afresh.
  void count(const std::vector<FlashBlock>& blocks) {
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

  // A good block that had so many erases has one more.
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
  std::vector<std::uint32_t> blocks_{0};  // by erases
  std::uint32_t least_ = 0;
};

}  // namespace hmsim
