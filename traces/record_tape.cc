// SPDX-License-Identifier: BSD-3-Clause
#include "traces/record_tape.h"

namespace hmsim {

void RecordTape::load(std::uint64_t record) {
  const std::uint64_t block = blocks_.block_of(record);
  Held& held = held_[block % held_.size()];
  if (held.words.empty() || held.block != block) {
    blocks_.read_block(block, held.words);
    held.block = block;
  }
  present_ = &held.words;
  first_ = blocks_.first_of(block);
}

}  // namespace hmsim
