// SPDX-License-Identifier: BSD-3-Clause
// Writes of one step to one tier, in order, made one at a time: for each layer and sequence, keys
// and values of the new token or, in a prefill, of all tokens of a new sequence.
//
// In DRAM, tokens are written to their place. Elsewhere, a token is gathered in DRAM, and its page
// is written as a whole once it is complete.
#pragma once

#include <cstdint>

#include "agents/llm/decode_view.h"

namespace hmsim {

class WriteWalk {
 public:
  WriteWalk() = default;
  WriteWalk(const DecodeView& view, Tier tier) : view_(view), tier_(tier) {}

  void begin();               // a step
  bool next(Extent& extent);  // returns false at the step's end

  void serialize(Archive& archive);

 private:
  bool next_of_sequence(Extent& extent);

  DecodeView view_;
  Tier tier_ = Tier::fast;
  std::uint32_t stage_ = 1;
  std::uint32_t sequence_ = 0;
  std::uint64_t page_ = 0;  // whole pages written of this sequence
  bool tail_done_ = false;  // of this sequence
  std::uint32_t half_ = 0;
};

}  // namespace hmsim
