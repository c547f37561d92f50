// SPDX-License-Identifier: BSD-3-Clause
// Extents of memory that decoding reads, writes or trims, and the walk that makes them in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

// gather: keys and values of a page of tokens that is not yet complete, kept in DRAM.
enum class DataKind : std::uint8_t { weights, embedding, kv, gather, last = gather };
inline constexpr std::size_t kDataKinds = static_cast<std::size_t>(DataKind::last) + 1;

// Contiguous bytes of a tier that stage `stage` of a step needs or makes. Stage 0 is the embedding;
// a stage for each simulated layer follows, then the output head.
struct Extent {
  std::uint64_t offset = 0;  // within the tier
  std::uint64_t bytes = 0;
  std::uint32_t stage = 0;
  std::uint32_t sequence = kNoIndex;  // of keys and values
  DataKind kind = DataKind::weights;

  void serialize(Archive& archive) { archive(offset, bytes, stage, sequence, kind); }
};

// Passes that nested loops are in, the outermost loop first.
using Place = std::array<std::uint32_t, 4>;

// Makes the extents of nested loops, in order. `Loops` has these functions:
//   passes(level, place)  passes of loop `level`, while the loops around it are in their passes of
//                         `place`; level 0 is the outermost
//   extent(place)         extent of a pass of the innermost loop; called once for each, in order
template <class Loops>
class Walk {
 public:
  Walk() = default;
  explicit Walk(Loops loops) : loops_(loops) {}

  void begin() { place_ = {}; }
  // Returns false if no extent remains.
  bool next(Extent& extent) {
    for (std::size_t level = 0; level < place_.size();) {
      if (place_[level] < loops_.passes(level, place_)) {
        ++level;
      } else if (level == 0) {
        return false;
      } else {
        place_[level] = 0;
        ++place_[--level];
      }
    }
    extent = loops_.extent(place_);
    ++place_.back();
    return true;
  }

  void serialize(Archive& archive) { archive(place_); }

 private:
  Loops loops_;
  Place place_{};  // of the next extent, or beyond the last pass of a loop
};

}  // namespace hmsim
