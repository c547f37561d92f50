// SPDX-License-Identifier: BSD-3-Clause
// Hash map from page or item numbers to indices: linear probing in one block of memory, at most
// half full. It offers no iteration, so no result can depend on hash order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/errors.h"

namespace hmsim {

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

class KeyMap {
 public:
  // Returns the index, or kNoIndex if the key is absent.
  std::uint32_t find(std::int64_t key) const {
    return slots_.empty() ? kNoIndex : slots_[position(key)].index;
  }

  // The key must be absent.
  void insert(std::int64_t key, std::uint32_t index) {
    if (2 * count_ >= mask_) {
      grow();
    }
    slots_[position(key)] = {key, index};
    ++count_;
  }

  // Returns the index of the key. If the key is absent, inserts it with `index` and returns
  // kNoIndex.
  std::uint32_t find_or_insert(std::int64_t key, std::uint32_t index) {
    if (2 * count_ >= mask_) {
      grow();
    }
    Slot& slot = slots_[position(key)];
    const std::uint32_t found = slot.index;
    if (found == kNoIndex) {
      slot = {key, index};
      ++count_;
    }
    return found;
  }

  // Removes the key. An absent key is a Fault.
  void erase(std::int64_t key) {
    std::size_t hole = slots_.empty() ? 0 : position(key);
    if (slots_.empty() || slots_[hole].index == kNoIndex) {
      raise_fault("key map", Tick(0), key, "removal of a key that is absent");
    }
    // Move up each later entry that the hole would make unreachable. The local mask spares a load
    // of the member after each store.
    const std::size_t mask = mask_;
    for (std::size_t i = (hole + 1) & mask; slots_[i].index != kNoIndex; i = (i + 1) & mask) {
      const std::size_t wanted = hash(slots_[i].key) & mask;
      if (((i - wanted) & mask) >= ((i - hole) & mask)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = Slot();
    --count_;
  }

  bool empty() const { return count_ == 0; }

  void clear() {
    slots_.clear();
    mask_ = 0;
    count_ = 0;
  }

 private:
  struct Slot {
    std::int64_t key = 0;
    std::uint32_t index = kNoIndex;
  };

  // Multiplicative hash by 2^64 divided by the golden ratio (Knuth, "The Art of Computer
  // Programming", volume 3, section 6.4).
  static std::size_t hash(std::int64_t key) {
    const auto bits = static_cast<std::uint64_t>(key);
    return static_cast<std::size_t>((bits ^ bits >> 32) * 0x9E3779B97F4A7C15u >> 32);
  }

  // Returns the slot of the key, or the slot where it would be inserted.
  std::size_t position(std::int64_t key) const {
    std::size_t i = hash(key) & mask_;
    while (slots_[i].index != kNoIndex && slots_[i].key != key) {
      i = (i + 1) & mask_;
    }
    return i;
  }

  void grow() {
    constexpr std::size_t kInitialSlots = 16;
    std::vector<Slot> old(slots_.empty() ? kInitialSlots : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.index != kNoIndex) {
        slots_[position(slot.key)] = slot;
      }
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t mask_ = 0;     // slots - 1; 0: none
  std::size_t count_ = 0;
};

}  // namespace hmsim
