// SPDX-License-Identifier: BSD-3-Clause
// Records of hmsim's own traces, read by many at places of their own, in bounded memory: the blocks
// that were read last are kept, one for each number modulo kHeld.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/record_blocks.h"

namespace hmsim {

class RecordTape {
 public:
  // `blocks` outlives the tape.
  explicit RecordTape(RecordBlocks& blocks) : blocks_(blocks) {}

  // The record of this number, from 0; there is one. Throws InputError where its block is wrong.
  std::uint64_t at(std::uint64_t record) {
    if (record - first_ >= present_->size()) {
      load(record);
    }
    return (*present_)[static_cast<std::size_t>(record - first_)];
  }
  std::uint64_t size() const { return blocks_.records(); }

 private:
  static constexpr std::size_t kHeld = 16;
  struct Held {
    std::uint64_t block = 0;
    std::vector<std::uint64_t> words;  // none: nothing is held
  };

  void load(std::uint64_t record);

  RecordBlocks& blocks_;
  std::array<Held, kHeld> held_;
  const std::vector<std::uint64_t>* present_ = &held_[0].words;  // of the block read last
  std::uint64_t first_ = 0;                                      // its first record
};

}  // namespace hmsim
