// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace hmsim {

// Banks in the order of the cycles that they wait for, in a ring. Each was made to wait by a
// command of its own, and the waits are of much the same length: so few wait at a time, and a new
// one comes last or nearly so.
class WaitingBanks {
 public:
  explicit WaitingBanks(std::size_t banks) {
    std::size_t size = 1;
    while (size < banks) {
      size *= 2;
    }
    ring_.resize(size);
    mask_ = size - 1;
  }

  // The first cycle that a bank waits for; kNeverCycle when none waits.
  std::int64_t next() const { return count_ == 0 ? kNeverCycle.value() : at(0).cycle; }

  void insert(std::int32_t bank, std::int64_t cycle) {
    std::size_t place = first_ + count_++;
    for (; place != first_; --place) {
      const Entry& before = ring_[(place - 1) & mask_];
      if (before.cycle <= cycle) {
        break;
      }
      ring_[place & mask_] = before;
    }
    ring_[place & mask_] = {cycle, bank};
  }
  void erase(std::int32_t bank) {
    std::size_t place = 0;
    while (at(place).bank != bank) {
      ++place;
    }
    --count_;
    for (; place < count_; ++place) {
      at(place) = at(place + 1);
    }
  }
  void clear() { count_ = 0; }

  // Takes out all whose cycle has come by `now`, calling ready(bank) for each.
  template <class Ready>
  void advance(std::int64_t now, Ready ready) {
    for (; count_ != 0; --count_, ++first_) {
      const Entry& first = at(0);
      if (first.cycle > now) {
        return;
      }
      ready(first.bank);
    }
  }

 private:
  struct Entry {
    std::int64_t cycle = 0;
    std::int32_t bank = 0;
  };

  Entry& at(std::size_t place) { return ring_[(first_ + place) & mask_]; }
  const Entry& at(std::size_t place) const { return ring_[(first_ + place) & mask_]; }

  std::vector<Entry> ring_;
  std::size_t mask_ = 0;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace hmsim
