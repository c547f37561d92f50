// SPDX-License-Identifier: BSD-3-Clause
// Places of swapped pages on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

// Map between pages, numbered from 0, and slots of the device. With `fixed`, page n only goes to
// slot n. Otherwise each place() gives a page the next slot of a cluster of 256 slots that was
// free, as in Linux, so that pages written one after another are neighbours. If no whole cluster is
// free, it gives the next free slot.
class SwapSlots {
 public:
  // `count`: slots of the device, at least as many as pages.
  SwapSlots(std::uint64_t count, bool fixed) : count_(count), fixed_(fixed) {}

  // Adds the next page, without a slot.
  void add() { slots_.push_back(kNoIndex); }
  // Returns the slot of a page; kNoIndex: it has none.
  std::uint32_t slot_of(std::uint32_t page) const { return slots_[page]; }
  // Returns the page in a slot; kNoIndex: none.
  std::uint32_t page_at(std::uint32_t slot) const {
    return slot < pages_.size() ? pages_[slot] : kNoIndex;
  }
  // Frees the page's slot, if it has one, and gives it the next.
  void place(std::uint32_t page);

  // Saves or loads. `pages`: their number.
  void serialize(Archive& archive, std::size_t pages);

 private:
  static constexpr std::uint32_t kCluster = 256;

  std::uint32_t next_free();
  std::uint32_t free_cluster();
  void occupy(std::uint32_t slot, std::uint32_t page);

  std::uint64_t count_;
  bool fixed_;
  std::vector<std::uint32_t> slots_;  // by page
  std::vector<std::uint32_t> pages_;  // by slot
  std::vector<std::uint32_t> used_;   // slots in use, by cluster
  std::uint32_t next_ = 0;
};

}  // namespace hmsim
