// SPDX-License-Identifier: BSD-3-Clause
// Write counts of a large number of places.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

// Uses one byte per place in chunks that have writes, so memory is little more than one byte per
// written place. Counts above a byte's range are stored separately.
class WearCounts {
 public:
  explicit WearCounts(std::uint64_t places);

  std::uint64_t add(std::uint64_t place);  // adds one and returns the new count
  void serialize(Archive& archive);

 private:
  static constexpr std::uint64_t kPlaces = 64;     // per chunk
  static constexpr std::uint64_t kChunks = 4'096;  // per group
  static constexpr std::uint8_t kMost = 255;       // most that a byte holds
  using Chunk = std::array<std::uint8_t, kPlaces>;
  using Group = std::vector<std::uint32_t>;  // index in chunks_ of each chunk, or kNoIndex

  std::uint32_t& index_of(std::uint64_t chunk);

  std::uint64_t places_;
  std::vector<Group> groups_;  // empty without writes
  std::vector<Chunk> chunks_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> beyond_;  // place, count - kMost
  KeyMap beyond_of_;                                             // place -> index in beyond_
};

}  // namespace hmsim
