// SPDX-License-Identifier: BSD-3-Clause
// Records which of the requests 0, 1, 2, ... are done, with one bit per request from the oldest
// outstanding one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

class RequestLedger {
 public:
  // Marks a request as done. Returns false if it was done before, or if its number is impossibly
  // high. O(1) amortised. Memory is one bit per request between the oldest outstanding and the
  // youngest done.
  bool mark(std::uint64_t request) {
    const std::uint64_t word = request / kBits;
    if (word < base_ || word - base_ > kMostWords) {
      return false;
    }
    if (word - base_ >= words_.size()) {
      grow(word);
    }
    const std::uint64_t bit = std::uint64_t{1} << (request % kBits);
    if ((at(word) & bit) != 0) {
      return false;
    }
    at(word) |= bit;
    end_ = std::max(end_, request + 1);
    for (; at(base_) == ~std::uint64_t{0}; ++base_) {
      at(base_) = 0;
    }
    return true;
  }

  std::uint64_t oldest_missing() const {
    const std::uint64_t word = words_[static_cast<std::size_t>(base_) & (words_.size() - 1)];
    return base_ * kBits + static_cast<std::uint64_t>(__builtin_ctzll(~word));
  }

  std::uint64_t end() const { return end_; }  // one past the youngest done

  void serialize(Archive& archive) {
    archive(words_, base_, end_);
    const std::size_t size = words_.size();
    archive.check(size != 0 && (size & (size - 1)) == 0,
                  "the size of a ledger is not a power of two");
  }

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;

  void grow(std::uint64_t word) {
    std::size_t size = words_.size();
    while (word - base_ >= size) {
      size *= 2;
    }
    std::vector<std::uint64_t> larger(size);
    for (std::uint64_t i = base_; i < base_ + words_.size(); ++i) {
      larger[static_cast<std::size_t>(i) & (size - 1)] = at(i);
    }
    words_ = std::move(larger);
  }

  std::uint64_t& at(std::uint64_t word) {
    return words_[static_cast<std::size_t>(word) & (words_.size() - 1)];
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64);  // a ring from base_ on
  std::uint64_t base_ = 0;  // first word that is not full
  std::uint64_t end_ = 0;
};

}  // namespace hmsim
