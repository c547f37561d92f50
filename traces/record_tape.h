// SPDX-License-Identifier: BSD-3-Clause
// Records of hmsim's own traces, read by many at places of their own, in bounded memory: the blocks
// that were read last are kept, one for each number modulo so many as hold kMost records. Threads
// of a job that run side by side are 100 million instructions apart in the captured order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/record_blocks.h"

namespace hmsim {

class RecordTape {
 public:
  // `blocks` outlives the tape.
  explicit RecordTape(RecordBlocks& blocks)
      : blocks_(blocks),
        held_(std::clamp<std::size_t>(blocks.block_of(kMost), kFewest, kMostBlocks)),
        present_(&held_[0].words) {}
  RecordTape(const RecordTape&) = delete;  // it points into itself
  RecordTape& operator=(const RecordTape&) = delete;

  // The record of this number, from 0; there is one. Throws InputError where its block is wrong.
  std::uint64_t at(std::uint64_t record) {
    if (record - first_ >= present_->size()) {
      load(record);
    }
    return (*present_)[static_cast<std::size_t>(record - first_)];
  }
  std::uint64_t size() const { return blocks_.records(); }
  RecordBlocks& blocks() { return blocks_; }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22;  // records: 32 MiB
  static constexpr std::size_t kFewest = 4;                       // blocks
  static constexpr std::size_t kMostBlocks = 64;
  struct Held {
    std::uint64_t block = 0;
    std::vector<std::uint64_t> words;  // none: nothing is held
  };

  void load(std::uint64_t record);

  RecordBlocks& blocks_;
  std::vector<Held> held_;
  const std::vector<std::uint64_t>* present_;  // of the block read last
  std::uint64_t first_ = 0;                    // its first record
};

}  // namespace hmsim
