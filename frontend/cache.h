// SPDX-License-Identifier: BSD-3-Clause
// What one cache holds: set-associative, least recently used lines leave first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/cache_parameters.h"

namespace hmsim {

class Archive;

class Cache {
 public:
  // A line, as a way of a set holds it; or none.
  class Way {
   public:
    Way() = default;
    Way(std::uint64_t line, bool dirty, bool prefetched)
        : bits_((line << kFlags) | (prefetched ? kPrefetched : 0) | (dirty ? kDirty : 0) | kValid) {
    }

    bool valid() const { return (bits_ & kValid) != 0; }
    bool holds(std::uint64_t line) const { return bits_ >> kFlags == line && valid(); }
    std::uint64_t line() const { return bits_ >> kFlags; }
    bool dirty() const { return (bits_ & kDirty) != 0; }
    bool prefetched() const { return (bits_ & kPrefetched) != 0; }  // and not asked for since
    void set_dirty() { bits_ |= kDirty; }
    void clear_prefetched() { bits_ &= ~kPrefetched; }

    void serialize(Archive& archive);

   private:
    static constexpr int kFlags = 3;
    static constexpr std::uint64_t kValid = 1;
    static constexpr std::uint64_t kDirty = 2;
    static constexpr std::uint64_t kPrefetched = 4;

    std::uint64_t bits_ = 0;  // line number, at most 2^58 (of 64-byte lines in 64 bits), and flags
  };

  // `parameters` are such that check() finds nothing wrong.
  explicit Cache(const CacheLevelParameters& parameters);

  // The line's way, now the most recently used of its set; nullptr: it is not here.
  Way* find(std::uint64_t line);
  bool contains(std::uint64_t line) const;
  // Puts in a line that is not here, as the most recently used; what had to leave, if valid.
  Way insert(const Way& added);

  void serialize(Archive& archive);

 private:
  std::size_t set_of(std::uint64_t line) const {
    return static_cast<std::size_t>(line & set_mask_) * ways_per_set_;
  }

  std::size_t ways_per_set_;
  std::uint64_t set_mask_;
  std::vector<Way> ways_;  // set by set, the most recently used first
};

}  // namespace hmsim
