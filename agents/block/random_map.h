// SPDX-License-Identifier: BSD-3-Clause
// Random map of a region, as fio's: random requests visit each block once before they visit any
// block again.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace hmsim {

class Archive;

enum class MapOrder { none, repeat, shuffle };

// If all requests have one size, the order is a permutation, computed without a table. Otherwise a
// bitmap marks the visited blocks.
class RandomMap {
 public:
  static constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 30;  // of bitmaps: 128 MiB

  RandomMap() = default;  // no map
  // `blocks` is at least 1. `same_order`: each pass draws the same numbers.
  RandomMap(std::uint64_t blocks, bool one_size, bool same_order, const Random& random);

  bool exists() const { return blocks_ > 0; }
  bool full() const { return visited_ == blocks_; }
  // Returns a block that the present pass has not visited. Requires !full().
  std::uint64_t next();
  // Marks the unvisited blocks from `first`, which next() returned, up to the next visited one, at
  // most `count`. Returns their number.
  std::uint64_t visit(std::uint64_t first, std::uint64_t count);
  // Forgets all visits.
  void begin_pass();
  void rewind();
  Random& random() { return random_; }  // for the sizes of requests

  void serialize(Archive& archive);

 private:
  std::uint64_t bits_after_end() const;

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
