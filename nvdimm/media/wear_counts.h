// SPDX-License-Identifier: BSD-3-Clause
// How often each of many places was written.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

// A byte for each place of a chunk in which there were writes, so that all places written take
// little more than a byte each; counts that a byte does not hold stand apart.
class WearCounts {
 public:
  explicit WearCounts(std::uint64_t places);

  std::uint64_t add(std::uint64_t place);  // one of them; the count from now on
  void serialize(Archive& archive);

 private:
  static constexpr std::uint64_t kPlaces = 64;     // of a chunk
  static constexpr std::uint64_t kChunks = 4'096;  // of a group
  static constexpr std::uint8_t kMost = 255;       // that a byte holds
  using Chunk = std::array<std::uint8_t, kPlaces>;
  using Group = std::vector<std::uint32_t>;  // of each chunk its index in chunks_, or kNoIndex

  std::uint32_t& index_of(std::uint64_t chunk);

  std::uint64_t places_;
  std::vector<Group> groups_;  // empty where there were no writes
  std::vector<Chunk> chunks_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> beyond_;  // place, its count less kMost
  KeyMap beyond_of_;                                             // place -> beyond_
};

}  // namespace hmsim
