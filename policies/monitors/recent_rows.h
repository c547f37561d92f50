// SPDX-License-Identifier: BSD-3-Clause
// The 32 distinct DRAM rows that were used most recently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/archive.h"
#include "core/slot_list.h"

namespace hmsim {

class RecentRows {
 public:
  RecentRows() { begin(); }

  // Returns whether the row is among them, and makes it the most recent.
  bool use(std::int32_t rank, std::int32_t bank, std::int64_t row) {
    const std::int32_t number = rank * kBanksOfARank + bank;
    const std::size_t hash = hash_of(number, row);
    const auto links = links_of(rows_.data(), &Row::link);
    const std::uint32_t found = hashes_[hash] == 0 ? kRows : find(number, row);
    if (found != kRows) {
      order_.remove(links, found);
      order_.push_back(links, found);
      return true;
    }
    const std::uint32_t oldest = order_.first;
    Row& replaced = rows_[oldest];
    order_.remove(links, oldest);
    if (replaced.bank >= 0) {
      --hashes_[hash_of(replaced.bank, replaced.row)];
    }
    replaced.bank = number;
    replaced.row = row;
    ++hashes_[hash];
    order_.push_back(links, oldest);
    return false;
  }

  // Saves the rows, oldest first; hashes and links are derived from them on loading.
  void serialize(Archive& archive) {
    std::array<std::pair<std::int32_t, std::int64_t>, kRows> saved;
    std::size_t count = 0;
    for (std::uint32_t slot = order_.first; slot != kNoIndex; slot = rows_[slot].link.next) {
      saved[count++] = {rows_[slot].bank, rows_[slot].row};
    }
    for (auto& [bank, row] : saved) {
      archive(bank, row);
    }
    if (!archive.loading()) {
      return;
    }
    begin();
    for (std::uint32_t slot = 0; slot < kRows; ++slot) {
      rows_[slot].bank = saved[slot].first;
      rows_[slot].row = saved[slot].second;
      if (rows_[slot].bank >= 0) {
        ++hashes_[hash_of(rows_[slot].bank, rows_[slot].row)];
      }
    }
  }

 private:
  static constexpr std::uint32_t kRows = 32;
  static constexpr std::size_t kHashes = 256;
  static constexpr std::int32_t kBanksOfARank = 1 << 16;  // above any real number of banks

  struct Row {
    std::int32_t bank = -1;  // over all ranks; -1: unused
    std::int64_t row = 0;
    SlotLink link;
  };

  // Clears all rows.
  void begin() {
    rows_.fill(Row());
    hashes_.fill(0);
    order_ = SlotList();
    for (std::uint32_t slot = 0; slot < kRows; ++slot) {
      order_.push_back(links_of(rows_.data(), &Row::link), slot);
    }
  }
  static std::size_t hash_of(std::int32_t bank, std::int64_t row) {
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;  // 2^64 over the golden ratio
    const auto key = static_cast<std::uint64_t>(row) << 24 ^ static_cast<std::uint64_t>(bank);
    return static_cast<std::size_t>(key * kGolden >> 56);
  }
  // Returns the slot of the row, or kRows if it is not among the recent rows.
  std::uint32_t find(std::int32_t bank, std::int64_t row) const {
    std::uint32_t slot = 0;
    while (slot < kRows && (rows_[slot].row != row || rows_[slot].bank != bank)) {
      ++slot;
    }
    return slot;
  }

  std::array<Row, kRows> rows_{};
  std::array<std::uint8_t, kHashes> hashes_{};  // number of rows with each hash
  SlotList order_;                              // oldest first
};

}  // namespace hmsim
