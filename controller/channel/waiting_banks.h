// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace hmsim {

// Timing wheel of 64 cycles; each entry is a set of at most 64 banks, one bit each. Calls must be
// in order of time, none later than next().
class WaitingBanks {
 public:
  static constexpr std::int64_t kLongest = 63;  // longest wait in cycles

  // Returns the first cycle that a bank waits for, or kNeverCycle.
  std::int64_t next() const { return next_; }

  // Adds a bank that does not wait yet. `cycle` is at most kLongest in the future.
  void insert(std::uint64_t bank, std::int64_t cycle) {
    const std::size_t place = place_of(cycle);
    banks_[place] |= bank;
    std::uint64_t occupied = occupied_;
    occupied |= std::uint64_t{1} << place;
    occupied_ = occupied;
    next_ = earlier(next_, cycle);
  }
  void erase(std::uint64_t bank, std::int64_t called, std::int64_t now) {
    const std::size_t place = place_of(called);
    banks_[place] &= ~bank;
    if (banks_[place] == 0) {
      occupied_ &= ~(std::uint64_t{1} << place);
      find_next(now);
    }
  }
  void clear() {
    banks_ = {};
    occupied_ = 0;
    next_ = kNeverCycle.value();
  }

  // Removes and returns the banks that wait for next().
  std::uint64_t take() {
    const std::size_t place = place_of(next_);
    const std::uint64_t banks = banks_[place];
    banks_[place] = 0;
    std::uint64_t occupied = occupied_;
    occupied &= ~(std::uint64_t{1} << place);
    occupied_ = occupied;
    find_next(next_ + 1);
    return banks;
  }

 private:
  static std::size_t place_of(std::int64_t cycle) { return static_cast<std::size_t>(cycle) & 63; }
  void find_next(std::int64_t from) {
    next_ = occupied_ == 0
                ? kNeverCycle.value()
                : from + __builtin_ctzll(rotate_right(occupied_, static_cast<int>(from & 63)));
  }
  static std::uint64_t rotate_right(std::uint64_t bits, int count) {
    return bits >> count | bits << (-count & 63);
  }

  std::array<std::uint64_t, 64> banks_{};
  std::uint64_t occupied_ = 0;  // wheel entries, one bit each
  std::int64_t next_ = kNeverCycle.value();
};

}  // namespace hmsim
