// SPDX-License-Identifier: BSD-3-Clause
#include "check/request_ledger.h"

#include <algorithm>

namespace hmsim {

bool RequestLedger::mark(std::uint64_t request) {
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

std::uint64_t RequestLedger::oldest_missing() const {
  const std::uint64_t word = words_[static_cast<std::size_t>(base_) & (words_.size() - 1)];
  return base_ * kBits + static_cast<std::uint64_t>(__builtin_ctzll(~word));
}

void RequestLedger::grow(std::uint64_t word) {
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

void RequestLedger::serialize(Archive& archive) {
  archive(words_, base_, end_);
  const std::size_t size = words_.size();
  archive.check(size != 0 && (size & (size - 1)) == 0,
                "the size of a ledger is not a power of two");
}

}  // namespace hmsim
