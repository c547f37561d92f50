// SPDX-License-Identifier: BSD-3-Clause
// Banks that wait for a cycle in the near future.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace hmsim {

// A calendar of single cycles, each a set of small numbers (banks). All entries lie within `span`
// cycles after the last advance.
class ReadyWheel {
 public:
  ReadyWheel(std::int64_t span, std::size_t members) : words_((members + 63) / 64) {
    std::int64_t slots = 64;
    while (slots <= span) {
      slots *= 2;
    }
    slots_ = slots;
    members_.assign(static_cast<std::size_t>(slots) * words_, 0);
    occupied_.assign(static_cast<std::size_t>(slots) / 64, 0);
  }

  void insert(std::size_t member, std::int64_t cycle) {
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
  }

  // The first cycle after the last advance that has an entry; kNeverCycle when none has.
  std::int64_t next() const {
    const std::int64_t start = now_ + 1;
    const auto first = static_cast<std::size_t>(start & (slots_ - 1));
    const std::size_t count = occupied_.size();
    for (std::size_t i = 0; i <= count; ++i) {
      std::uint64_t word = occupied_[(first / 64 + i) & (count - 1)];
      if (i == 0) {
        word &= ~std::uint64_t{0} << (first % 64);
      } else if (i == count) {
        word &= bit(first) - 1;
      }
      if (word != 0) {
        const std::int64_t slot =
            static_cast<std::int64_t>(((first / 64 + i) & (count - 1)) * 64 +
                                      static_cast<std::size_t>(__builtin_ctzll(word)));
        return start + ((slot - static_cast<std::int64_t>(first)) & (slots_ - 1));
      }
    }
    return kNeverCycle.value();
  }

  // Takes out all entries up to `now`, calling ready(member) for each.
  template <class Ready>
  void advance(std::int64_t now, Ready ready) {
    for (std::int64_t cycle = next(); cycle <= now; cycle = next()) {
      const std::size_t slot = slot_of(cycle);
      for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t set = members_[slot * words_ + word];
        members_[slot * words_ + word] = 0;
        for (; set != 0; set &= set - 1) {
          ready(word * 64 + static_cast<std::size_t>(__builtin_ctzll(set)));
        }
      }
      occupied_[slot / 64] &= ~bit(slot);
      now_ = cycle;
    }
    now_ = now;
  }

  void clear(std::int64_t now) {
    members_.assign(members_.size(), 0);
    occupied_.assign(occupied_.size(), 0);
    now_ = now;
  }

 private:
  static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << (index % 64); }
  std::size_t slot_of(std::int64_t cycle) const {
    return static_cast<std::size_t>(cycle & (slots_ - 1));
  }

  std::size_t words_;
  std::int64_t slots_;
  std::int64_t now_ = -1;
  std::vector<std::uint64_t> members_;   // slot x words
  std::vector<std::uint64_t> occupied_;  // one bit a slot
};

}  // namespace hmsim
