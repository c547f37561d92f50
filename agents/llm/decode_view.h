// SPDX-License-Identifier: BSD-3-Clause
// Objects that the walks over a step look at, and the extents of keys and values.
#pragma once

#include "agents/llm/decode_keys.h"
#include "agents/llm/decode_layout.h"
#include "agents/llm/sequences.h"
#include "agents/llm/walk.h"

namespace hmsim {

// The objects outlive the walks. A step's walks end before the sequences change.
struct DecodeView {
  const DecodeKeys* keys = nullptr;
  const DecodeLayout* layout = nullptr;
  Sequences* sequences = nullptr;

  // Returns the keys or values of a whole page of a sequence.
  Extent page(std::uint32_t stage, std::uint32_t half, std::uint32_t sequence,
              std::uint64_t index) const {
    const std::uint64_t page = sequences->pages().page(sequence, index);
    return {layout->page(stage - 1, half, page), keys->page_bytes(), stage, sequence, DataKind::kv};
  }
};

}  // namespace hmsim
