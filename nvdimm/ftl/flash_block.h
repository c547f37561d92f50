// SPDX-License-Identifier: BSD-3-Clause
// The record of one block.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/slot_list.h"

namespace hmsim {

enum class BlockState : std::uint8_t { free, open, full, victim, bad, last = bad };

struct FlashBlock {
  static constexpr std::uint32_t kMostErases = 1u << 22;  // far beyond a block's endurance

  SlotLink alike;  // among full blocks of the LUN with as many valid pages, by `changed`
  SlotLink age;    // among full blocks of the LUN, in the order in which they were filled
  std::uint64_t changed = 0;  // FullBlockList::written() when it filled or last lost a valid page
  std::uint32_t erases = 0;
  std::uint32_t slot = 0;  // in the list of full blocks
  std::uint32_t valid = 0;
  std::uint32_t completed = 0;  // pages committed, or dropped
  std::uint32_t end = 0;        // pages that will be; then the block is full
  BlockState state = BlockState::free;
  bool failing = false;  // to be retired

  bool bad() const { return state == BlockState::bad; }

  // `valid` follows from the map, links and slot from the lists.
  void serialize(Archive& archive) {
    archive(changed, erases, completed, end, state, failing);
    archive.check(erases <= kMostErases, "a flash block is worn beyond reason");
  }
};

}  // namespace hmsim
