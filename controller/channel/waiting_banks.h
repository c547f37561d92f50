// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace hmsim {

// A wheel of 64 cycles with a set of banks for each, of which there are at most 64: each has its
// bit. Calls come in order of time, and none later than next().
class WaitingBanks {
 public:
  static constexpr std::int64_t kLongest = 63;  // wait

  // The first cycle that a bank waits for; kNeverCycle when none waits.
  std::int64_t next() const { return next_; }

  // The bank, which does not wait, waits for a cycle that lies at most kLongest in the future.
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

  // Takes out those that wait for next().
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
  std::uint64_t occupied_ = 0;  // cycles, a bit each
  std::int64_t next_ = kNeverCycle.value();
};

}  // namespace hmsim
