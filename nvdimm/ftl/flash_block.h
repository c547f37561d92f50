// SPDX-License-Identifier: BSD-3-Clause
// State of one flash block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/archive.h"
#include "core/slot_list.h"
#include "policies/page_placement.h"

namespace hmsim {

// Stream of a block in one-bit mode: of the SLC cache.
inline constexpr std::uint32_t kCacheStream = kCopyStream + 1;

enum class BlockState : std::uint8_t { free, open, full, victim, bad, last = bad };

// All bytes of a block that was never used are zero.
struct FlashBlock {
  static constexpr std::uint32_t kMostErases = 1u << 22;  // far beyond a block's endurance

  // Undefined unless the block is full.
  SlotLink alike;  // among the LUN's full blocks with the same number of valid pages, by `changed`
  SlotLink age;    // among the LUN's full blocks, in the order in which they filled
  std::uint64_t changed = 0;  // FullBlockList::written() when it filled or last lost a valid page
  std::uint32_t erases = 0;
  std::uint32_t slot = 0;  // index in the list of full blocks
  std::uint32_t valid = 0;
  std::uint32_t completed = 0;  // pages committed or dropped
  std::uint32_t end = 0;        // value of `completed` at which the block is full
  BlockState state = BlockState::free;
  bool failing = false;     // to be retired
  std::uint8_t stream = 0;  // that opened it; kCopyStream: collection, levelling or the map;
                            // kCacheStream: the SLC cache

  bool bad() const { return state == BlockState::bad; }
  // Returns whether the block is in one-bit mode, which lasts until its erase.
  bool one_bit() const { return stream == kCacheStream && state != BlockState::free && !bad(); }
  // Returns the stream that a placement policy knows; pages of the SLC cache count as copies.
  std::uint32_t of_stream() const { return std::min<std::uint32_t>(stream, kCopyStream); }
  // Returns whether all fields that serialize() saves are zero.
  bool unused() const {
    return changed == 0 && erases == 0 && completed == 0 && end == 0 && state == BlockState::free &&
           !failing && stream == 0;
  }

  // `valid` is recomputed from the map; links and slot are recomputed from the lists.
  void serialize(Archive& archive) {
    archive(changed, erases, completed, end, state, failing, stream);
    archive.check(erases <= kMostErases, "too many erases of a flash block");
    archive.check(stream <= kCacheStream, "invalid stream of a flash block");
  }
};

}  // namespace hmsim
