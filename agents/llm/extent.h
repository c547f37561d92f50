// SPDX-License-Identifier: BSD-3-Clause
// Pieces of memory that language-model decoding reads, writes or trims.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/tiers.h"

namespace hmsim {

// Names of tiers to users. nvdimm: the device of block I/O, either the NVDIMM or storage.
inline constexpr std::array<const char*, kTiers> kTierNames{"dram", "nvdimm"};

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

}  // namespace hmsim
