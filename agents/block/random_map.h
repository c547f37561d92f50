// SPDX-License-Identifier: BSD-3-Clause
// Random map of a region, as fio's: random requests visit each block once before they visit any
// block again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/random.h"

namespace hmsim {

enum class MapOrder { none, repeat, shuffle };

// If all requests have one size, the order is a permutation, computed without a table. Otherwise a
// bitmap marks the visited blocks.
class RandomMap {
 public:
  static constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 30;  // of bitmaps: 128 MiB

  RandomMap() = default;  // no map
  // `blocks` is at least 1. `same_order`: each pass draws the same numbers.
  RandomMap(std::uint64_t blocks, bool one_size, bool same_order, const Random& random)
      : blocks_(blocks),
        same_order_(same_order),
        start_(random),
        random_(random),
        used_(one_size ? 0 : static_cast<std::size_t>((blocks + kWord - 1) / kWord)) {
    begin_pass();
  }

  bool exists() const { return blocks_ > 0; }
  bool full() const { return visited_ == blocks_; }
  // Returns a block that the present pass has not visited. Requires !full().
  std::uint64_t next() {
    if (used_.empty()) {
      return order_(visited_);
    }
    const std::uint64_t drawn = random_.below(blocks_);
    auto word = static_cast<std::size_t>(drawn / kWord);
    std::uint64_t unvisited = ~used_[word] & (kAll << (drawn % kWord));
    while (unvisited == 0) {
      word = word + 1 == used_.size() ? 0 : word + 1;
      unvisited = ~used_[word];
    }
    return word * kWord + static_cast<std::uint64_t>(__builtin_ctzll(unvisited));
  }

  // Marks the unvisited blocks from `first`, which next() returned, up to the next visited one, at
  // most `count`. Returns their number.
  std::uint64_t visit(std::uint64_t first, std::uint64_t count) {
    if (used_.empty()) {
      ++visited_;
      return 1;
    }
    std::uint64_t block = first;
    for (; block < std::min(first + count, blocks_); ++block) {
      std::uint64_t& word = used_[static_cast<std::size_t>(block / kWord)];
      const std::uint64_t bit = std::uint64_t{1} << (block % kWord);
      if ((word & bit) != 0) {
        break;
      }
      word |= bit;
    }
    visited_ += block - first;
    return block - first;
  }

  // Forgets all visits.
  void begin_pass() {
    random_ = same_order_ ? start_ : random_;
    visited_ = 0;
    if (used_.empty()) {
      key_ = random_.next();
      order_ = Permutation(blocks_, key_);
      return;
    }
    std::fill(used_.begin(), used_.end(), 0);
    used_.back() = bits_after_end();
  }

  void rewind() {
    if (blocks_ > 0) {
      random_ = start_;
      begin_pass();
    }
  }

  Random& random() { return random_; }  // for the sizes of requests

  void serialize(Archive& archive) {
    if (blocks_ == 0) {
      return;
    }
    archive(random_, key_, visited_);
    archive.fixed(used_);
    if (!archive.loading()) {
      return;
    }
    if (used_.empty()) {
      order_ = Permutation(blocks_, key_);
    } else {
      used_.back() |= bits_after_end();
      std::uint64_t unvisited = 0;
      for (const std::uint64_t word : used_) {
        unvisited += static_cast<std::uint64_t>(__builtin_popcountll(~word));
      }
      visited_ = blocks_ - unvisited;
    }
    archive.check(visited_ < blocks_, "invalid random map of a generator of block requests");
  }

 private:
  static constexpr std::uint64_t kWord = 64;  // bits
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  // Returns a mask of the last word's bits that stand for no block. They are always set.
  std::uint64_t bits_after_end() const {
    return blocks_ % kWord == 0 ? 0 : kAll << (blocks_ % kWord);
  }

  std::uint64_t blocks_ = 0;
  bool same_order_ = false;
  Random start_;
  Random random_;
  std::uint64_t key_ = 0;            // of the permutation
  Permutation order_;                // one size
  std::vector<std::uint64_t> used_;  // several sizes: a bit for each block
  std::uint64_t visited_ = 0;        // blocks
};

}  // namespace hmsim
