// SPDX-License-Identifier: BSD-3-Clause
// Which of the last visits were the last ones of their pages: marks by visit, counted.
#pragma once

#include <cstdint>
#include <vector>

namespace hmsim {

class LastVisits {
 public:
  explicit LastVisits(std::size_t size);  // a power of two
  std::size_t size() const { return size_; }
  void set(std::uint64_t visit) { change(visit, 1); }
  void clear(std::uint64_t visit) { change(visit, -1); }
  // Marks of visits low .. high; they span at most size().
  std::uint64_t count(std::uint64_t low, std::uint64_t high) const;
  // The visit of the mark with so many marks before it among visits low .. high.
  std::uint64_t select(std::uint64_t low, std::uint64_t number) const;

 private:
  void change(std::uint64_t visit, std::int32_t by);
  std::uint64_t before(std::size_t place) const;  // marks in places 0 .. place - 1

  std::size_t size_;
  std::vector<std::int32_t> tree_;  // Fenwick's
};

}  // namespace hmsim
