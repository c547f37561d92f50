// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/random_map.h"

#include <algorithm>
#include <cstddef>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kWord = 64;  // bits
constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

RandomMap::RandomMap(std::uint64_t blocks, bool one_size, bool same_order, const Random& random)
    : blocks_(blocks),
      same_order_(same_order),
      start_(random),
      random_(random),
      used_(one_size ? 0 : static_cast<std::size_t>((blocks + kWord - 1) / kWord)) {
  begin_pass();
}

// Returns a mask of the last word's bits that stand for no block. They are always set.
std::uint64_t RandomMap::bits_after_end() const {
  return blocks_ % kWord == 0 ? 0 : kAll << (blocks_ % kWord);
}

void RandomMap::begin_pass() {
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

void RandomMap::rewind() {
  if (blocks_ > 0) {
    random_ = start_;
    begin_pass();
  }
}

std::uint64_t RandomMap::next() {
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

std::uint64_t RandomMap::visit(std::uint64_t first, std::uint64_t count) {
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

void RandomMap::serialize(Archive& archive) {
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

}  // namespace hmsim
