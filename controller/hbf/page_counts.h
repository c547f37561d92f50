// SPDX-License-Identifier: BSD-3-Clause
// Numbers of waiting reads by the lower bits of their pages. Without a walk along a queue, they
// usually show that no read of a page waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hmsim {

class PageCounts {
 public:
  void add(std::int64_t page) { ++counts_[place(page)]; }
  void remove(std::int64_t page) { --counts_[place(page)]; }
  // Returns false only if every add() of the page was followed by its remove().
  bool may_hold(std::int64_t page) const { return counts_[place(page)] != 0; }
  void clear() { counts_.assign(kCounts, 0); }

 private:
  static constexpr std::size_t kCounts = 4096;  // a power of two

  static std::size_t place(std::int64_t page) {
    return static_cast<std::size_t>(page) & (kCounts - 1);
  }

  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(kCounts);
};

}  // namespace hmsim
