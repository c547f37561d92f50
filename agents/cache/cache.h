// SPDX-License-Identifier: BSD-3-Clause
// Contents of one cache: set-associative, with LRU replacement in each set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/cache/cache_parameters.h"
#include "core/archive.h"

namespace hmsim {

// `W` is a way: a line or nothing. It provides W::Line (the type that names a line), holds(line),
// line(), valid() and W::set_number(line), whose low bits choose the set.
template <class W>
class SetAssociative {
 public:
  using Way = W;
  using Line = typename W::Line;

  SetAssociative() = default;  // without capacity; to be assigned over
  // Precondition: `parameters` passed check().
  explicit SetAssociative(const CacheLevelParameters& parameters)
      : ways_per_set_(static_cast<std::size_t>(parameters.ways)),
        set_mask_(static_cast<std::uint64_t>(parameters.size / kLineBytes / parameters.ways) - 1),
        ways_(static_cast<std::size_t>(parameters.size / kLineBytes)) {}

  // Returns the line's way and makes it the most recently used of its set. nullptr: the line is
  // absent.
  Way* find(const Line& line) {
    Way* const set = &ways_[set_of(line)];
    if (set[0].holds(line)) {
      return set;
    }
    for (std::size_t i = 1; i < ways_per_set_; ++i) {
      if (set[i].holds(line)) {
        std::rotate(set, set + i, set + i + 1);
        return set;
      }
    }
    return nullptr;
  }
  bool contains(const Line& line) const {
    const Way* const set = &ways_[set_of(line)];
    return std::any_of(set, set + ways_per_set_,
                       [&line](const Way& way) { return way.holds(line); });
  }
  // Inserts an absent line as the most recently used. Returns the way that it displaces, which may
  // be invalid.
  Way insert(const Way& added) {
    Way* const set = &ways_[set_of(added.line())];
    const Way leaves = set[ways_per_set_ - 1];
    std::copy_backward(set, set + ways_per_set_ - 1, set + ways_per_set_);
    set[0] = added;
    return leaves;
  }

  void serialize(Archive& archive) { archive.fixed(ways_); }
  const std::vector<Way>& ways() const { return ways_; }

 private:
  std::size_t set_of(const Line& line) const {
    return static_cast<std::size_t>(W::set_number(line) & set_mask_) * ways_per_set_;
  }

  std::size_t ways_per_set_ = 0;
  std::uint64_t set_mask_ = 0;
  std::vector<Way> ways_;  // set by set, most recently used first
};

// Way of a core's private caches.
class PrivateWay {
 public:
  using Line = std::uint64_t;

  PrivateWay() = default;
  PrivateWay(std::uint64_t line, bool dirty, bool prefetched)
      : bits_((line << kFlags) | (prefetched ? kPrefetched : 0) | (dirty ? kDirty : 0) | kValid) {}

  static std::uint64_t set_number(std::uint64_t line) { return line; }
  bool valid() const { return (bits_ & kValid) != 0; }
  bool holds(std::uint64_t line) const { return bits_ >> kFlags == line && valid(); }
  std::uint64_t line() const { return bits_ >> kFlags; }
  bool dirty() const { return (bits_ & kDirty) != 0; }
  bool prefetched() const { return (bits_ & kPrefetched) != 0; }  // and not accessed since
  void set_dirty() { bits_ |= kDirty; }
  void clear_prefetched() { bits_ &= ~kPrefetched; }

  void serialize(Archive& archive) { archive(bits_); }

 private:
  static constexpr int kFlags = 3;
  static constexpr std::uint64_t kValid = 1;
  static constexpr std::uint64_t kDirty = 2;
  static constexpr std::uint64_t kPrefetched = 4;

  std::uint64_t bits_ = 0;  // flags and line number, at most 2^58 (64-bit addresses)
};

using Cache = SetAssociative<PrivateWay>;

}  // namespace hmsim
