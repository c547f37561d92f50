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

  std::uint64_t passes(std::size_t level, const Place& place) const {
    switch (level) {
      case kStage:
        return view_.keys->stages();
      case kOwner:
        return std::uint64_t{1} + view_.sequences->size();
      case kItem:
        return items(place[kStage], place[kOwner]);
      default:
        return place[kStage] == 0 || place[kOwner] == 0 ? 1 : 2;
    }
  }

  Extent extent(const Place& place) const {
    const Model& model = view_.keys->model;
    const std::uint32_t stage = place[kStage];
    if (place[kOwner] == 0) {
      const bool head = stage == view_.keys->head_stage();
      return {view_.layout->weights(stage - 1), head ? model.head_bytes() : model.layer_bytes(),
              stage};
    }
    if (stage == 0) {
      return {view_.layout->row(view_.sequences->draw_word()), model.row_bytes(), stage, kNoIndex,
              DataKind::embedding};
    }
    return kv_extent(place);
  }

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

  std::uint64_t items(std::uint32_t stage, std::uint32_t owner) const {
    const bool weights = !write_ && tier_ == view_.keys->weights;
    if (owner == 0) {
      return weights && stage > 0 ? 1 : 0;
    }
    const std::uint32_t sequence = owner - 1;
    if (stage == 0) {
      return weights ? view_.sequences->computed(sequence) : 0;
    }
    const Part part = part_of(sequence);
    return stage == view_.keys->head_stage() ? 0 : part.pages + (part.tokens > 0 ? 1 : 0);
  }

  // Returns what each layer reads or writes of the sequence in this tier.
  Part part_of(std::uint32_t sequence) const {
    const Sequences& all = *view_.sequences;
    const DecodeKeys& keys = *view_.keys;
    const std::uint64_t whole = all.whole_pages(sequence);
    const std::uint64_t rest = all.rest(sequence);
    Part part;
    if (write_ == all.prefills() && all.computed(sequence) > 0) {  // everything
      part = {0, whole, 0, rest};
    } else if (write_ && !all.prefills()) {  // the new token, and the page that it completes
      const bool completes = rest + 1 == static_cast<std::uint64_t>(keys.page_tokens);
      part = {whole, completes && keys.kv != Tier::fast ? std::uint64_t{1} : 0, rest, 1};
    }
    if (tier_ != keys.kv) {
      part.pages = 0;
    }
    if (tier_ != Tier::fast) {
      part.tokens = 0;
    }
    return part;
  }

  Extent kv_extent(const Place& place) const {
    const DecodeKeys& keys = *view_.keys;
    const std::uint32_t layer = place[kStage] - 1;
    const std::uint32_t sequence = place[kOwner] - 1;
    const Part part = part_of(sequence);
    Extent extent{0, keys.page_bytes(), place[kStage], sequence, DataKind::kv};
    if (tier_ == keys.kv) {
      const std::uint32_t page = view_.sequences->page(sequence, part.first_page + place[kItem]);
      extent.offset = view_.layout->page(layer, place[kHalf], page);
    } else {
      extent.offset = view_.layout->gathered(layer, place[kHalf], sequence);
      extent.kind = DataKind::gather;
    }
    if (place[kItem] >= part.pages) {
      extent.offset += part.first_token * keys.model.half_bytes();
      extent.bytes = part.tokens * keys.model.half_bytes();
    }
    return extent;
  }

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

  std::uint64_t passes(std::size_t level, const Place& place) const {
    const Sequences& all = *view_.sequences;
    switch (level) {
      case kSequence:
        return view_.keys->kv == Tier::fast ? 0 : all.size();
      case kPage:
        return all.ended(place[kSequence]) ? all.whole_pages(place[kSequence]) : 0;
      case kLayer:
        return view_.keys->layers();
      default:
        return 2;
    }
  }

  Extent extent(const Place& place) const {
    const std::uint32_t page = view_.sequences->page(place[kSequence], place[kPage]);
    return {view_.layout->page(place[kLayer], place[kHalf], page), view_.keys->page_bytes(), 0,
            place[kSequence], DataKind::kv};
  }

 private:
  enum Level : std::size_t { kSequence, kPage, kLayer, kHalf };

  DecodeView view_;
};

}  // namespace hmsim
