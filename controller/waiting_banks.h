// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace hmsim {

// A bit for each bank that waits, and its cycle. Few wait at a time, since each was made to by a
// command of its own: so finding the first again costs less than keeping them in order.
class WaitingBanks {
 public:
  explicit WaitingBanks(std::size_t banks) : cycles_(banks), waiting_((banks + 63) / 64) {}

  // A lower bound on the first cycle that a bank waits for; kNeverCycle when none waits.
  std::int64_t next() const { return next_; }

  void insert(std::size_t bank, std::int64_t cycle) {
    cycles_[bank] = cycle;
    waiting_[bank / 64] |= std::uint64_t{1} << (bank % 64);
    next_ = earlier(next_, cycle);
  }
  void erase(std::size_t bank) { waiting_[bank / 64] &= ~(std::uint64_t{1} << (bank % 64)); }
  void clear() {
    waiting_.assign(waiting_.size(), 0);
    next_ = kNeverCycle.value();
  }

  // Takes out all whose cycle has come by `now`, calling ready(bank) for each.
  template <class Ready>
  void advance(std::int64_t now, Ready ready) {
    if (next_ > now) {
      return;
    }
    std::int64_t next = kNeverCycle.value();
    for (std::size_t word = 0; word < waiting_.size(); ++word) {
      for (std::uint64_t set = waiting_[word]; set != 0; set &= set - 1) {
        const std::size_t bank = word * 64 + static_cast<std::size_t>(__builtin_ctzll(set));
        if (cycles_[bank] > now) {
          next = earlier(next, cycles_[bank]);
        } else {
          waiting_[word] &= ~(set & -set);
          ready(bank);
        }
      }
    }
    next_ = next;
  }

 private:
  std::vector<std::int64_t> cycles_;
  std::vector<std::uint64_t> waiting_;
  std::int64_t next_ = kNeverCycle.value();
};

}  // namespace hmsim
