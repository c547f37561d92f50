// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace hmsim {

// A calendar of single cycles, each a set of small numbers (banks). An entry lies at most `span`
// cycles after the present, and entries are taken out at most `span` cycles late. The first cycle
// that has an entry is kept at hand.
class ReadyWheel {
 public:
  ReadyWheel(std::int64_t span, std::size_t members) : words_((members + 63) / 64) {
    std::int64_t slots = 64;
    while (slots <= 2 * span) {
      slots *= 2;
    }
    slots_ = slots;
    members_.assign(static_cast<std::size_t>(slots) * words_, 0);
    occupied_.assign(static_cast<std::size_t>(slots) / 64, 0);
  }

  void insert(std::size_t member, std::int64_t cycle, std::int64_t now) {
    if (next_ == kNeverCycle.value()) {
      now_ = now;
    }
    next_ = earlier(next_, cycle);
    const std::size_t slot = slot_of(cycle);
    members_[slot * words_ + member / 64] |= bit(member);
    occupied_[slot / 64] |= bit(slot);
  }

  void erase(std::size_t member, std::int64_t cycle) {
    const std::size_t slot = slot_of(cycle);
    members_[slot * words_ + member / 64] &= ~bit(member);
    for (std::size_t word = 0; word < words_; ++word) {
      if (members_[slot * words_ + word] != 0) {
        return;
      }
    }
    occupied_[slot / 64] &= ~bit(slot);
    if (cycle == next_) {
      next_ = find_next();
    }
  }

  // The first cycle after the last advance that has an entry; kNeverCycle when none has.
  std::int64_t next() const { return next_; }

  // Takes out all entries up to `now`, calling ready(member) for each.
  template <class Ready>
  void advance(std::int64_t now, Ready ready) {
    while (next_ <= now) {
      const std::size_t slot = slot_of(next_);
      for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t set = members_[slot * words_ + word];
        members_[slot * words_ + word] = 0;
        for (; set != 0; set &= set - 1) {
          ready(word * 64 + static_cast<std::size_t>(__builtin_ctzll(set)));
        }
      }
      occupied_[slot / 64] &= ~bit(slot);
      now_ = next_;
      next_ = find_next();
    }
    now_ = now;
  }

  void clear(std::int64_t now) {
    members_.assign(members_.size(), 0);
    occupied_.assign(occupied_.size(), 0);
    now_ = now;
    next_ = kNeverCycle.value();
  }

 private:
  static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << (index % 64); }
  std::size_t slot_of(std::int64_t cycle) const {
    return static_cast<std::size_t>(cycle & (slots_ - 1));
  }

  std::int64_t find_next() const {
    const std::int64_t start = now_ + 1;
    const auto first = static_cast<std::size_t>(start & (slots_ - 1));
    const std::size_t words = occupied_.size();
    // From the slot of `start` to the end of its word, the other words, then the word's beginning.
    std::uint64_t set = occupied_[first / 64] >> (first % 64);
    if (set != 0) {
      return start + __builtin_ctzll(set);
    }
    for (std::size_t i = 1; i <= words; ++i) {
      const std::size_t word = (first / 64 + i) & (words - 1);
      set = occupied_[word];
      if (set != 0) {
        const auto slot = static_cast<std::int64_t>(word * 64) + __builtin_ctzll(set);
        return start + ((slot - static_cast<std::int64_t>(first)) & (slots_ - 1));
      }
    }
    return kNeverCycle.value();
  }

  std::size_t words_;
  std::int64_t slots_;
  std::int64_t now_ = -1;
  std::int64_t next_ = kNeverCycle.value();
  std::vector<std::uint64_t> members_;   // slot x words
  std::vector<std::uint64_t> occupied_;  // one bit a slot
};

}  // namespace hmsim
