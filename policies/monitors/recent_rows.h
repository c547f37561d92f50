// SPDX-License-Identifier: BSD-3-Clause
// The 32 distinct rows of DRAM that were used last.
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

  // Returns whether the row is one of them, and makes it the latest.
  bool use(std::int32_t rank, std::int32_t bank, std::int64_t row);

  void serialize(Archive& archive);

 private:
  static constexpr std::uint32_t kRows = 32;
  static constexpr std::size_t kHashes = 256;

  struct Row {
    std::int32_t bank = -1;  // over all ranks; -1: none
    std::int64_t row = 0;
    SlotLink link;
  };

  void begin();  // with none in use
  static std::size_t hash_of(std::int32_t bank, std::int64_t row);
  std::uint32_t find(std::int32_t bank, std::int64_t row) const;

  std::array<Row, kRows> rows_{};
  std::array<std::uint8_t, kHashes> hashes_{};  // rows with each hash
  SlotList order_;                              // the oldest first
};

}  // namespace hmsim
