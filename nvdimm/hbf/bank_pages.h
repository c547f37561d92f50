// SPDX-License-Identifier: BSD-3-Clause
// Decoded pages that each bank keeps. The least recently used one leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

class BankPages {
 public:
  BankPages(std::int64_t banks, std::int64_t pages_of_bank)
      : ways_(static_cast<std::size_t>(pages_of_bank)),
        pages_(static_cast<std::size_t>(banks) * ways_, kNone) {}

  // Returns whether the bank has the page, which then is its most recently used one.
  bool use(std::uint32_t bank, std::int64_t page) {
    auto* const first = begin(bank);
    auto* const found = std::find(first, first + ways_, page);
    if (found == first + ways_) {
      return false;
    }
    std::rotate(first, found, found + 1);
    return true;
  }
  // Adds a page that the bank does not have.
  void insert(std::uint32_t bank, std::int64_t page) {
    if (ways_ > 0) {
      auto* const first = begin(bank);
      std::rotate(first, first + ways_ - 1, first + ways_);
      *first = page;
    }
  }
  // Removes the pages for which drops(page) holds.
  template <class Drops>
  void drop(std::uint32_t bank, Drops drops) {
    for (std::size_t way = 0; way < ways_; ++way) {
      std::int64_t& page = begin(bank)[way];
      page = page != kNone && drops(page) ? kNone : page;
    }
  }

  void serialize(Archive& archive) { archive.fixed(pages_); }

 private:
  static constexpr std::int64_t kNone = -1;

  std::int64_t* begin(std::uint32_t bank) { return pages_.data() + bank * ways_; }

  const std::size_t ways_;
  std::vector<std::int64_t> pages_;  // by bank, most recently used first
};

}  // namespace hmsim
