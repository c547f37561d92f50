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

class Places {
 public:
  // `what` is the message if a slot is out of range or claimed twice.
  Places(const Archive& archive, std::size_t count, const char* what)
      : archive_(archive), held_(count), what_(what) {}

  void check(bool condition) const { archive_.check(condition, what_); }
  void take(std::uint64_t place) {
    check(place < held_.size() && !held_[static_cast<std::size_t>(place)]);
    held_[static_cast<std::size_t>(place)] = true;
    ++count_;
  }
  // Claims all places of a chain. It begins at `first`; next(place) returns the place that follows,
  // or kNoIndex at the end. Returns the last place, or kNoIndex if the chain is empty.
  template <class Next>
  std::uint32_t chain(std::uint32_t first, Next next) {
    std::uint32_t last = kNoIndex;
    for (std::uint32_t place = first; place != kNoIndex; place = next(place)) {
      take(place);
      last = place;
    }
    return last;
  }

  bool has(std::size_t place) const { return held_[place]; }
  std::size_t count() const { return count_; }
  bool all() const { return count_ == held_.size(); }

 private:
  const Archive& archive_;
  std::vector<bool> held_;
  std::size_t count_ = 0;
  const char* what_;
};

}  // namespace hmsim
