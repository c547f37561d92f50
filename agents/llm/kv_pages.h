// SPDX-License-Identifier: BSD-3-Clause
// Block tables: the pages of keys and values of each sequence. A page has the same number in all
// layers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/random.h"

namespace hmsim {

class KvPages {
 public:
  KvPages() = default;
  // A sequence has at most `most` pages. Pages are taken in random order.
  KvPages(std::size_t sequences, std::size_t most, Random random);

  // Frees all pages, and orders them at random, as at first.
  void rewind();
  // Gives the sequence pages until it has `pages` of them.
  void extend(std::uint32_t sequence, std::size_t pages);
  void release(std::uint32_t sequence);

  std::size_t count(std::uint32_t sequence) const { return counts_[sequence]; }
  std::uint32_t page(std::uint32_t sequence, std::size_t index) const {
    return table_[sequence * most_ + index];
  }
  std::size_t most() const { return most_; }

  void serialize(Archive& archive);

 private:
  std::size_t most_ = 0;
  Random random_;                      // before rewind()
  std::vector<std::uint32_t> table_;   // by sequence, `most_` entries each
  std::vector<std::uint32_t> counts_;  // by sequence
  std::vector<std::uint32_t> free_;    // the last one is taken first
};

}  // namespace hmsim
