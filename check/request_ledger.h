// SPDX-License-Identifier: BSD-3-Clause
// Which of the requests 0, 1, 2, ... are done: a bit for each from the oldest that is not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

class RequestLedger {
 public:
  // False when the request was done before, or is so young that it cannot be. O(1) amortised;
  // memory grows with the distance between the oldest request that is not done and the youngest
  // that is, by a bit each.
  bool mark(std::uint64_t request);

  std::uint64_t oldest_missing() const;
  std::uint64_t end() const { return end_; }  // one more than the youngest that is done

  void serialize(Archive& archive);

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;

  void grow(std::uint64_t word);
  std::uint64_t& at(std::uint64_t word) {
    return words_[static_cast<std::size_t>(word) & (words_.size() - 1)];
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64);  // a ring from base_ on
  std::uint64_t base_ = 0;  // the first word that is not full
  std::uint64_t end_ = 0;
};

}  // namespace hmsim
