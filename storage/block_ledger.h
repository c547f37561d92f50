// SPDX-License-Identifier: BSD-3-Clause
// Blocks that are being copied: the accesses that each still waits for, and response times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// Table of blocks. A block is a page, or the part of it that a request touches. Its response time
// is the time from its first access sent to its last access done. noinline: its callers run once an
// access, and few accesses open or close a block.
class BlockLedger {
 public:
  // Opens a block of the request at `place`, whose first access is sent now. Returns its number,
  // which is unique among open blocks. `collections_ended`: garbage collections completed so far.
  // `measured`: its response time counts.
  [[gnu::noinline]] std::uint32_t open(std::uint32_t place, std::int64_t accesses, Tick now,
                                       std::uint64_t collections_ended, bool measured) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    blocks_[number] = {now, place, measured, accesses, collections_ended};
    return number;
  }
  // Returns the place of the block's request. Raises a Fault for a number out of range, which a
  // loaded state may contain.
  std::uint32_t place_of(std::uint32_t block) const {
    ensure(block < blocks_.size(), "block I/O", Tick(0), block, "access without a block");
    return blocks_[block].place;
  }
  // Records that an access is done. Returns true after the block's last access; the caller then
  // closes the block.
  bool end_access(std::uint32_t block) { return --blocks_[block].accesses == 0; }
  // Closes the block. `collections_begun`: garbage collections started so far.
  [[gnu::noinline]] void close(std::uint32_t block, Tick now, std::uint64_t collections_begun) {
    const Block& closed = blocks_[block];
    if (closed.measured) {
      const std::int64_t time = (now - closed.first_sent).value();
      times_.add(time);
      if (collections_begun != closed.collections_ended) {
        times_in_collections_.add(time);
      }
    }
    free_.push_back(block);
  }

  Histogram& times() { return times_; }  // picoseconds
  // Response times, in picoseconds, of the blocks during which a garbage collection ran.
  Histogram& times_in_collections() { return times_in_collections_; }

  // Calls see(place) for the places of all blocks, closed ones included.
  template <class See>
  void each_place(See see) const {
    for (const Block& block : blocks_) {
      see(block.place);
    }
  }

  void serialize(Archive& archive) {
    archive(blocks_, free_, times_, times_in_collections_);
    archive.check_indices(free_, blocks_.size(), "invalid block of a request");
  }

 private:
  struct Block {
    Tick first_sent{0};
    std::uint32_t place = 0;
    bool measured = true;
    std::int64_t accesses = 0;  // not yet done
    std::uint64_t collections_ended = 0;
    void serialize(Archive& archive) {
      archive(first_sent, place, measured, accesses, collections_ended);
    }
  };

  std::vector<Block> blocks_;        // by number
  std::vector<std::uint32_t> free_;  // numbers of closed blocks
  Histogram times_;
  Histogram times_in_collections_;
};

}  // namespace hmsim
