// SPDX-License-Identifier: BSD-3-Clause
// Reads of one step from one tier, in order, made one at a time.
//
// Embedding: a random row for each token. A layer: its weights, then, in a decode step, the cached
// keys and values of each sequence, page after page, keys before values. Head: its weights.
#pragma once

#include <cstdint>

#include "agents/llm/decode_view.h"
#include "agents/llm/extent.h"
#include "core/random.h"

namespace hmsim {

class ReadWalk {
 public:
  ReadWalk() = default;
  ReadWalk(const DecodeView& view, Tier tier, Random random)
      : view_(view), tier_(tier), random_(random) {}

  void begin();  // a step
  // Restores the random numbers of a pass.
  void rewind(Random random) { random_ = random; }
  bool next(Extent& extent);  // returns false at the step's end

  void serialize(Archive& archive);

 private:
  bool next_row(Extent& extent);
  bool next_weights(Extent& extent);
  bool next_kv(Extent& extent);
  void end_stage();

  DecodeView view_;
  Tier tier_ = Tier::fast;
  Random random_;
  std::uint32_t stage_ = 0;
  bool weights_done_ = false;  // of this stage
  std::uint32_t sequence_ = 0;
  std::uint64_t item_ = 0;  // of the sequence: row or page
  std::uint32_t half_ = 0;
};

}  // namespace hmsim
