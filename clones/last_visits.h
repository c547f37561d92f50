// SPDX-License-Identifier: BSD-3-Clause
// Marks on visits that are the most recent ones of their pages, with fast counting. All operations
// take O(log size) time.
#pragma once

#include <cstdint>
#include <vector>

namespace hmsim {

class LastVisits {
 public:
  explicit LastVisits(std::size_t size);  // must be a power of two
  std::size_t size() const { return size_; }
  void set(std::uint64_t visit) { change(visit, 1); }
  void clear(std::uint64_t visit) { change(visit, -1); }
  // Returns the number of marks on visits low .. high, which must span at most size().
  std::uint64_t count(std::uint64_t low, std::uint64_t high) const;
  // Returns the visit of a mark, by its number among the marks from visit `low` on; the first is 0.
  std::uint64_t select(std::uint64_t low, std::uint64_t number) const;

 private:
  void change(std::uint64_t visit, std::int32_t by);
  std::uint64_t before(std::size_t place) const;  // marks in slots 0 .. place - 1

  std::size_t size_;
  std::vector<std::int32_t> tree_;  // Fenwick tree
};

}  // namespace hmsim
