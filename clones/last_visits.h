// SPDX-License-Identifier: BSD-3-Clause
// Marks on visits that are the most recent ones of their pages, with fast counting. All operations
// take O(log size) time.
#pragma once

#include <cstdint>
#include <vector>

namespace hmsim {

class LastVisits {
 public:
  explicit LastVisits(std::size_t size) : size_(size), tree_(size + 1, 0) {}  // a power of two
  std::size_t size() const { return size_; }
  void set(std::uint64_t visit) { change(visit, 1); }
  void clear(std::uint64_t visit) { change(visit, -1); }
  // Returns the number of marks on visits low .. high, which must span at most size().
  std::uint64_t count(std::uint64_t low, std::uint64_t high) const {
    const std::size_t first = low & (size_ - 1);
    const std::size_t last = high & (size_ - 1);
    const std::uint64_t round = first <= last ? 0 : before(size_);
    return round + before(last + 1) - before(first);
  }
  // Returns the visit of a mark, by its number among the marks from visit `low` on; the first is 0.
  std::uint64_t select(std::uint64_t low, std::uint64_t number) const {
    const std::size_t first = low & (size_ - 1);
    std::uint64_t wanted = before(first) + number;
    const std::uint64_t all = before(size_);
    const std::uint64_t rounds = wanted >= all ? size_ : 0;
    wanted -= wanted >= all ? all : 0;
    std::size_t place = 0;
    for (std::size_t step = size_; step > 0; step /= 2) {
      if (place + step <= size_ && static_cast<std::uint64_t>(tree_[place + step]) <= wanted) {
        place += step;
        wanted -= static_cast<std::uint64_t>(tree_[place]);
      }
    }
    return low - first + rounds + place;
  }

 private:
  void change(std::uint64_t visit, std::int32_t by) {
    for (std::size_t i = (visit & (size_ - 1)) + 1; i <= size_; i += i & (~i + 1)) {
      tree_[i] += by;
    }
  }
  std::uint64_t before(std::size_t place) const {  // marks in slots 0 .. place - 1
    std::int64_t sum = 0;
    for (std::size_t i = place; i > 0; i &= i - 1) {
      sum += tree_[i];
    }
    return static_cast<std::uint64_t>(sum);
  }

  std::size_t size_;
  std::vector<std::int32_t> tree_;  // Fenwick tree
};

}  // namespace hmsim
