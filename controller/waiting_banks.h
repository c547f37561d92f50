// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace hmsim {

// A wheel of 64 cycles with a set of banks for each, of which there are at most 64: each has its
// bit. Who waits for longer is called at the wheel's end and has to wait again.
class WaitingBanks {
 public:
  // The first cycle that a bank waits for; kNeverCycle when none waits.
  std::int64_t next() const { return next_; }

  // The bank, which does not wait, waits from `now` for a later cycle; it is called at the cycle
  // that is returned.
  std::int64_t insert(std::uint64_t bank, std::int64_t cycle, std::int64_t now) {
    if (occupied_ == 0) {
      now_ = now;
    }
    const std::int64_t called = earlier(cycle, now_ + 63);
    const std::size_t place = place_of(called);
    banks_[place] |= bank;
    occupied_ |= std::uint64_t{1} << place;
    next_ = earlier(next_, called);
    return called;
  }
  void erase(std::uint64_t bank, std::int64_t called) {
    const std::size_t place = place_of(called);
    banks_[place] &= ~bank;
    occupied_ &= ~(std::uint64_t{banks_[place] == 0} << place);
    find_next();
  }
  void clear() {
    banks_ = {};
    occupied_ = 0;
    next_ = kNeverCycle.value();
  }

  // Takes out all whose cycle has come by `now`, calling ready(bank number) for each.
  template <class Ready>
  void advance(std::int64_t now, Ready ready) {
    while (next_ <= now) {
      now_ = next_;
      const std::size_t place = place_of(now_);
      std::uint64_t banks = banks_[place];
      banks_[place] = 0;
      occupied_ &= ~(std::uint64_t{1} << place);
      find_next();
      for (; banks != 0; banks &= banks - 1) {
        ready(static_cast<std::int32_t>(__builtin_ctzll(banks)));
      }
    }
  }

 private:
  static std::size_t place_of(std::int64_t cycle) { return static_cast<std::size_t>(cycle) & 63; }
  void find_next() {
    next_ = occupied_ == 0
                ? kNeverCycle.value()
                : now_ + 1 +
                      __builtin_ctzll(rotate_right(occupied_, static_cast<int>((now_ + 1) & 63)));
  }
  static std::uint64_t rotate_right(std::uint64_t bits, int count) {
    return bits >> count | bits << (-count & 63);
  }

  std::array<std::uint64_t, 64> banks_{};
  std::uint64_t occupied_ = 0;  // cycles, a bit each
  std::int64_t next_ = kNeverCycle.value();
  std::int64_t now_ = 0;  // no bank waits for a cycle up to this one, nor beyond now_ + 63
};

}  // namespace hmsim
