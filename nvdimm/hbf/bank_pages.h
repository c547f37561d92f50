// SPDX-License-Identifier: BSD-3-Clause
// Decoded pages that each bank keeps. The least recently used one leaves.
#pragma once

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
    std::int64_t* const first = begin(bank);
    for (std::size_t way = 0; way < ways_; ++way) {
      if (first[way] == page) {
        put_first(first, way, page);
        return true;
      }
    }
    return false;
  }
  // Makes a page, new or not, the bank's most recently used one.
  void keep(std::uint32_t bank, std::int64_t page) {
    if (ways_ > 0 && !use(bank, page)) {
      put_first(begin(bank), ways_ - 1, page);
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

  // Replaces the page in `way` by `page`, and moves the pages before it back.
  static void put_first(std::int64_t* first, std::size_t way, std::int64_t page) {
    for (; way > 0; --way) {
      first[way] = first[way - 1];
    }
    first[0] = page;
  }
  std::int64_t* begin(std::uint32_t bank) { return pages_.data() + bank * ways_; }

  const std::size_t ways_;
  std::vector<std::int64_t> pages_;  // by bank, most recently used first
};

}  // namespace hmsim
