// SPDX-License-Identifier: BSD-3-Clause
// Address maps in which each bit of a place is the XOR of several bits of the address.
//
// Such a map has one mask for each bit of channel, rank, group, bank, row and column, in this
// order, each field's least significant bit first. The bit is the parity of the byte address under
// the mask. Each field thus takes any bits, adjacent or not, alone or XORed with others.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "controller/config/system_config.h"

namespace hmsim {

class AddressMasks {
 public:
  // Fields of a mapped line number: its bit n is that of mask n.
  static constexpr const char* kFields = "column|row|bank|group|rank|channel";
  // Map of Ramulator 2.1 (MOP4CLXOR) with lines interleaved over channels. Least significant
  // first: channel, two bits of the column, rank, group, bank, the column's other bits, row. Rank,
  // group, bank and row, in one number in this order, are XORed with the column.
  // After Kaseridis et al., Minimalist Open-page, MICRO 2011.
  static constexpr const char* kMop4clxor = "mop4clxor";

  // Returns whether controller.address_map is of masks, rather than of fields.
  static bool describe(const SystemConfig& config);
  // Returns the error of the map of masks, or "" if each line has exactly one place.
  static std::string check(const SystemConfig& config);

  // Maps nothing unless the configuration has a valid map of masks.
  explicit AddressMasks(const SystemConfig& config);

  bool empty() const { return tables_.empty(); }
  // Returns the mapped number of a line; the number itself if empty.
  std::int64_t mapped(std::int64_t line) const {
    if (empty()) {
      return line;
    }
    std::int64_t result = 0;
    for (const Table& table : tables_) {
      result ^= table[static_cast<std::size_t>(line & 255)];
      line >>= 8;
    }
    return result;
  }
  // Returns the number of a line among those of its channel, in address order.
  std::int64_t in_channel(std::int64_t line) const {
    for (const std::int64_t bit : dropped_) {
      line = (line & (bit - 1)) | (line >> 1 & -bit);
    }
    return line;
  }

 private:
  using Table = std::array<std::int64_t, 256>;

  std::vector<Table> tables_;  // mapped number of each byte of a line's number, to be XORed
  // Bits that follow from the line's channel and its more significant bits, greatest first.
  std::vector<std::int64_t> dropped_;
};

}  // namespace hmsim
