// SPDX-License-Identifier: BSD-3-Clause
// The 32 distinct DRAM rows that were used most recently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/slot_list.h"

namespace hmsim {

class RecentRows {
 public:
  RecentRows() { begin(); }

  // Returns whether the row is among them, and makes it the most recent.
  bool use(std::int32_t rank, std::int32_t bank, std::int64_t row);

  void serialize(Archive& archive);

 private:
  static constexpr std::uint32_t kRows = 32;
  static constexpr std::size_t kHashes = 256;

  struct Row {
    std::int32_t bank = -1;  // over all ranks; -1: unused
    std::int64_t row = 0;
    SlotLink link;
  };

  void begin();  // clears all rows
  static std::size_t hash_of(std::int32_t bank, std::int64_t row);
  std::uint32_t find(std::int32_t bank, std::int64_t row) const;

  std::array<Row, kRows> rows_{};
  std::array<std::uint8_t, kHashes> hashes_{};  // number of rows with each hash
  SlotList order_;                              // oldest first
};

}  // namespace hmsim
