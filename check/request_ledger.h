// SPDX-License-Identifier: BSD-3-Clause
// Set of finished requests among 0, 1, 2, ...: one bit per request from the oldest unfinished one
// on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

class RequestLedger {
 public:
  // Marks the request as finished. Returns false if it was finished before, or is too young to be
  // valid. O(1) amortised. Memory: one bit per request between the oldest unfinished and the
  // youngest finished one.
  bool mark(std::uint64_t request);

  std::uint64_t oldest_missing() const;
  std::uint64_t end() const { return end_; }  // youngest finished request + 1

  void serialize(Archive& archive);

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;

  void grow(std::uint64_t word);
  std::uint64_t& at(std::uint64_t word) {
    return words_[static_cast<std::size_t>(word) & (words_.size() - 1)];
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64);  // ring, starting at base_
  std::uint64_t base_ = 0;  // first word that is not full
  std::uint64_t end_ = 0;
};

}  // namespace hmsim
