// SPDX-License-Identifier: BSD-3-Clause
// Doubly linked lists of a queue's slots. The links stand beside the lists, one pair for each slot,
// so a slot is in at most one list of the same links.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"

namespace hmsim {

struct SlotLink {
  std::uint32_t previous = kNoIndex;
  std::uint32_t next = kNoIndex;

  void serialize(Archive& archive) { archive(previous, next); }
};

struct SlotList {
  std::uint32_t first = kNoIndex;
  std::uint32_t last = kNoIndex;

  bool empty() const { return first == kNoIndex; }

  void push_back(std::vector<SlotLink>& links, std::uint32_t slot) {
    links[slot] = {last, kNoIndex};
    (last == kNoIndex ? first : links[last].next) = slot;
    last = slot;
  }
  void remove(std::vector<SlotLink>& links, std::uint32_t slot) {
    const SlotLink link = links[slot];
    (link.previous == kNoIndex ? first : links[link.previous].next) = link.next;
    (link.next == kNoIndex ? last : links[link.next].previous) = link.previous;
  }

  void serialize(Archive& archive) { archive(first, last); }
};

}  // namespace hmsim
