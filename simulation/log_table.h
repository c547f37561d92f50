// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers of a log, stored in columns until they are taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hmsim {

template <std::size_t kColumns>
class LogTable {
 public:
  using Row = std::array<std::int64_t, kColumns>;
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  void add(const Row& row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      columns_[column].push_back(row[column]);
    }
  }
  std::size_t rows() const { return columns_.front().size(); }
  Columns take() { return std::exchange(columns_, Columns()); }  // all rows

 private:
  Columns columns_;
};

}  // namespace hmsim
