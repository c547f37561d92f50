// SPDX-License-Identifier: BSD-3-Clause
// Number of transactions per bank and row, counted by a hash of the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hmsim {

// In a deep queue, shows without a walk that no transaction of a bank hits the open row. A shallow
// queue keeps no counts.
class RowCounts {
 public:
  // Creates counts for a queue of `depth` transactions and `banks` banks.
  RowCounts(std::size_t depth, std::size_t banks) {
    if (depth >= kDeep) {
      rows_ = kDeep / 4;
      while (rows_ < depth / 4) {
        rows_ *= 2;
      }
      counts_.resize(banks * rows_);
    }
  }

  void add(std::int32_t bank, std::int64_t row) {
    if (rows_ != 0) {
      ++counts_[index(bank, row)];
    }
  }
  void remove(std::int32_t bank, std::int64_t row) {
    if (rows_ != 0) {
      --counts_[index(bank, row)];
    }
  }
  // Returns false only if the bank has no transaction for the row.
  bool may_have(std::int32_t bank, std::int64_t row) const {
    return rows_ == 0 || counts_[index(bank, row)] > 0;
  }
  void clear() { counts_.assign(counts_.size(), 0); }

 private:
  static constexpr std::size_t kDeep = 256;

  std::size_t index(std::int32_t bank, std::int64_t row) const {
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
    const std::uint64_t hash = static_cast<std::uint64_t>(row) * kGolden >> 32;
    return static_cast<std::size_t>(bank) * rows_ + (hash & (rows_ - 1));
  }

  std::size_t rows_ = 0;               // counts per bank, a power of two; 0: shallow queue
  std::vector<std::uint16_t> counts_;  // by bank
};

}  // namespace hmsim
