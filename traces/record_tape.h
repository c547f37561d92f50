// SPDX-License-Identifier: BSD-3-Clause
// Records of hmsim's own traces, read by several readers at independent places, in bounded memory.
// The tape is a direct-mapped cache of blocks that holds about kMost records. Threads of a job that
// run side by side can be 100 million instructions apart in the captured order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/record_blocks.h"

namespace hmsim {

class RecordTape {
 public:
  // `blocks` must outlive the tape.
  explicit RecordTape(RecordBlocks& blocks)
      : blocks_(blocks),
        held_(std::clamp<std::size_t>(blocks.block_of(kMost), kFewest, kMostBlocks)),
        present_(&held_[0].words) {}
  RecordTape(const RecordTape&) = delete;  // present_ points into held_
  RecordTape& operator=(const RecordTape&) = delete;

  // Returns the record with this number, from 0, which must exist. Throws InputError if its block
  // is invalid.
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
    std::vector<std::uint64_t> words;  // empty: nothing is cached
  };

  [[gnu::noinline]] void load(std::uint64_t record) {
    const std::uint64_t block = blocks_.block_of(record);
    Held& held = held_[block % held_.size()];
    if (held.words.empty() || held.block != block) {
      blocks_.read_block(block, held.words);
      held.block = block;
    }
    present_ = &held.words;
    first_ = blocks_.first_of(block);
  }

  RecordBlocks& blocks_;
  std::vector<Held> held_;
  const std::vector<std::uint64_t>* present_;  // records of the block read last
  std::uint64_t first_ = 0;                    // number of its first record
};

}  // namespace hmsim
