// SPDX-License-Identifier: BSD-3-Clause
// Records which of the requests 0, 1, 2, ... are done, with one bit per request from the oldest
// outstanding one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

class RequestLedger {
 public:
  // Marks a request as done. Returns false if it was done before, or if its number is impossibly
  // high. O(1) amortised. Memory is one bit per request between the oldest outstanding and the
  // youngest done.
  bool mark(std::uint64_t request);

  std::uint64_t oldest_missing() const;
  std::uint64_t end() const { return end_; }  // one past the youngest done

  void serialize(Archive& archive);

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;

  void grow(std::uint64_t word);
  std::uint64_t& at(std::uint64_t word) {
    return words_[static_cast<std::size_t>(word) & (words_.size() - 1)];
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64);  // a ring from base_ on
  std::uint64_t base_ = 0;  // first word that is not full
  std::uint64_t end_ = 0;
};

}  // namespace hmsim
