// SPDX-License-Identifier: BSD-3-Clause
// Checks linked structures when a checkpoint is loaded. Lists, chains and queues claim the slots
// that they hold. Each slot may be claimed at most once, so no chain can loop or leave its storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

class SlotClaims {
 public:
  // `what` is the message if a slot is out of range or claimed twice.
  SlotClaims(const Archive& archive, std::size_t count, const char* what)
      : archive_(archive), held_(count), what_(what) {}

  void check(bool condition) const { archive_.check(condition, what_); }
  void claim(std::uint64_t slot) {
    check(slot < held_.size() && !held_[static_cast<std::size_t>(slot)]);
    held_[static_cast<std::size_t>(slot)] = true;
    ++count_;
  }
  // Claims all slots of a chain. It begins at `first`; next(slot) returns the slot that follows,
  // or kNoIndex at the end. Returns the last slot, or kNoIndex if the chain is empty.
  template <class Next>
  std::uint32_t chain(std::uint32_t first, Next next) {
    std::uint32_t last = kNoIndex;
    for (std::uint32_t slot = first; slot != kNoIndex; slot = next(slot)) {
      claim(slot);
      last = slot;
    }
    return last;
  }

  bool has(std::size_t slot) const { return held_[slot]; }
  std::size_t count() const { return count_; }
  bool all() const { return count_ == held_.size(); }

 private:
  const Archive& archive_;
  std::vector<bool> held_;
  std::size_t count_ = 0;
  const char* what_;
};

}  // namespace hmsim
