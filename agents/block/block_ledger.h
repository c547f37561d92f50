// SPDX-License-Identifier: BSD-3-Clause
// The blocks that are being copied: what each still waits for, and how long blocks took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// A block is a page, or the part of it that a request touches. Its time runs from its first access
// sent to its last one done.
class BlockLedger {
 public:
  // Opens a block of so many accesses, whose first one is sent now; returns its number, which no
  // other open block has. `collections_ended`: garbage collections that have ended so far.
  std::uint32_t open(std::uint32_t thread, std::int64_t accesses, Tick now,
                     std::uint64_t collections_ended);
  // A number that was never given, as a loaded state may hold, is a Fault.
  std::uint32_t thread_of(std::uint32_t block) const {
    ensure(block < blocks_.size(), "block I/O", Tick(0), block, "an access is of no block");
    return blocks_[block].thread;
  }
  // One more access is done; true: it was the block's last, and close() is due.
  bool end_access(std::uint32_t block) { return --blocks_[block].accesses == 0; }
  // Its time counts unless `measured` is false. `collections_begun`: garbage collections so far.
  void close(std::uint32_t block, Tick now, std::uint64_t collections_begun, bool measured);

  // Blocks that were done without a ledger.
  void count(std::int64_t blocks) { closed_ += blocks; }

  bool all_closed() const { return free_.size() == blocks_.size(); }
  std::int64_t closed() const { return closed_; }
  Histogram& times() { return times_; }  // picoseconds
  // The times of blocks during which a garbage collection was under way.
  Histogram& times_in_collections() { return times_in_collections_; }

  // see(thread) for the threads of all blocks, closed ones included.
  template <class See>
  void each_thread(See see) const {
    for (const Block& block : blocks_) {
      see(block.thread);
    }
  }

  void serialize(Archive& archive);

 private:
  struct Block {
    Tick first_sent{0};
    std::uint32_t thread = 0;
    std::int64_t accesses = 0;  // that are not done
    std::uint64_t collections_ended = 0;
    void serialize(Archive& archive) { archive(first_sent, thread, accesses, collections_ended); }
  };

  std::vector<Block> blocks_;        // by number
  std::vector<std::uint32_t> free_;  // numbers of closed blocks
  std::int64_t closed_ = 0;          // blocks so far
  Histogram times_;
  Histogram times_in_collections_;
};

}  // namespace hmsim
