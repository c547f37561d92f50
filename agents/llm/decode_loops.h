// SPDX-License-Identifier: BSD-3-Clause
// Loops of the walks of decoding: over the data that a step reads or writes, and over the pages
// that ended sequences trim.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/llm/decode_keys.h"
#include "agents/llm/decode_layout.h"
#include "agents/llm/sequences.h"
#include "agents/llm/walk.h"

namespace hmsim {

// Objects that the loops look at, which outlive them. A step's walks end before the sequences
// change.
struct DecodeView {
  const DecodeKeys* keys = nullptr;
  const DecodeLayout* layout = nullptr;
  Sequences* sequences = nullptr;
};

// Reads of a step from a tier, or its writes to one.
//
// Reads. Embedding: a random row for each token. A layer: its weights, then, in a decode step, the
// cached keys and values of each sequence, page after page, keys before values. Head: its weights.
//
// Writes. For each layer and sequence: keys and values of the new token or, in a prefill, of all
// tokens of a new sequence. In DRAM, tokens are written to their place. Elsewhere, a token is
// gathered in DRAM, and its page is written as a whole once it is complete.
class StepLoops {
 public:
  StepLoops() = default;
  StepLoops(const DecodeView& view, Tier tier, bool write)
      : view_(view), tier_(tier), write_(write) {}

  std::uint64_t passes(std::size_t level, const Place& place) const;
  Extent extent(const Place& place) const;

 private:
  // Owner 0 is the batch, which has weights; owner 1 + i is sequence i, which has rows, or pages of
  // keys (half 0) and values (half 1).
  enum Level : std::size_t { kStage, kOwner, kItem, kHalf };
  // Keys and values of a sequence: whole pages, then tokens of the page after them.
  struct Part {
    std::uint64_t first_page = 0;
    std::uint64_t pages = 0;
    std::uint64_t first_token = 0;
    std::uint64_t tokens = 0;
  };

  std::uint64_t items(std::uint32_t stage, std::uint32_t owner) const;
  Part part_of(std::uint32_t sequence) const;
  Extent kv_extent(const Place& place) const;

  DecodeView view_;
  Tier tier_ = Tier::fast;
  bool write_ = false;
};

// Trims of the pages of ended sequences outside DRAM: by sequence, page and layer, keys before
// values. Extents are of stage 0.
class TrimLoops {
 public:
  TrimLoops() = default;
  explicit TrimLoops(const DecodeView& view) : view_(view) {}

  std::uint64_t passes(std::size_t level, const Place& place) const;
  Extent extent(const Place& place) const;

 private:
  enum Level : std::size_t { kSequence, kPage, kLayer, kHalf };

  DecodeView view_;
};

}  // namespace hmsim
