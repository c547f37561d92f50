// SPDX-License-Identifier: BSD-3-Clause
// Doubly linked lists of a queue's slots. The links stand beside the lists, one pair for each slot,
// so a slot is in at most one list of the same links.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/places.h"

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

  // Loading: takes the list's slots; its links lead there and back. Calls see(slot) for each.
  template <class See>
  void take_all(const std::vector<SlotLink>& links, Places& slots, See see) const {
    std::uint32_t before = kNoIndex;
    const std::uint32_t end = slots.chain(first, [&](std::uint32_t slot) {
      slots.check(links[slot].previous == before);
      see(slot);
      before = slot;
      return links[slot].next;
    });
    slots.check(last == end || first == kNoIndex);
  }
  void take_all(const std::vector<SlotLink>& links, Places& slots) const {
    take_all(links, slots, [](std::uint32_t) {});
  }

  void serialize(Archive& archive) { archive(first, last); }
};

}  // namespace hmsim
