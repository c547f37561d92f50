// SPDX-License-Identifier: BSD-3-Clause
// Lists of slots that are linked by their indices: a SlotChain forwards only, a SlotList both ways.
// The links stand beside the lists, in a vector or inside the slots' records, and links[slot] is a
// slot's link; so a slot is in at most one list of the same links.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/places.h"

namespace hmsim {

// The links that records hold as one of their members.
template <class Record, class Link>
struct LinksOf {
  Record* records;
  Link std::remove_const_t<Record>::*link;

  auto& operator[](std::uint32_t slot) const { return records[slot].*link; }
};
template <class Record, class Link>
LinksOf<Record, Link> links_of(Record* records, Link Record::*link) {
  return {records, link};
}
template <class Record, class Link>
LinksOf<const Record, Link> links_of(const Record* records, Link Record::*link) {
  return {records, link};
}

// Saves the slots of a list or chain in order. Loading, lists those saved again, each of which is
// below `size`; see(slot), called before, refuses a slot that must not be listed. A chain takes any
// order of slots; in a SlotList, whose links lead both ways, see() must refuse a slot that is there
// already.
template <class List, class Links, class See>
void serialize_slots(Archive& archive, List& list, const Links& links, std::size_t size, See see) {
  std::vector<std::uint32_t> slots;
  if (!archive.loading()) {
    for (std::uint32_t slot = list.first; slot != kNoIndex; slot = List::next_of(links[slot])) {
      slots.push_back(slot);
    }
  }
  archive(slots);
  if (archive.loading()) {
    list = List();
    for (const std::uint32_t slot : slots) {
      archive.check_index(slot, size, "a list has a slot that does not exist");
      see(slot);
      list.push_back(links, slot);
    }
  }
}

// First in, first out. A link is the index of the slot that follows.
struct SlotChain {
  std::uint32_t first = kNoIndex;
  std::uint32_t last = kNoIndex;  // of an empty chain: anything

  bool empty() const { return first == kNoIndex; }
  static std::uint32_t next_of(std::uint32_t link) { return link; }

  template <class Links>
  void push_back(const Links& links, std::uint32_t slot) {
    (empty() ? first : links[last]) = slot;
    last = slot;
    links[slot] = kNoIndex;
  }
  template <class Links>
  std::uint32_t pop_front(const Links& links) {
    const std::uint32_t slot = first;
    first = links[slot];
    return slot;
  }
  // Takes out the slot behind `previous`, or, of kNoIndex, the first.
  template <class Links>
  std::uint32_t take_after(const Links& links, std::uint32_t previous) {
    std::uint32_t& link = previous == kNoIndex ? first : links[previous];
    const std::uint32_t slot = link;
    link = links[slot];
    if (last == slot) {
      last = previous;
    }
    return slot;
  }

  // Loading: takes the chain's slots; it ends where it says. Calls see(slot) for each.
  template <class Links, class See>
  void take_all(const Links& links, Places& slots, See see) const {
    const std::uint32_t end = slots.chain(first, [&](std::uint32_t slot) {
      see(slot);
      return links[slot];
    });
    slots.check(empty() || last == end);
  }

  void serialize(Archive& archive) { archive(first, last); }
};

struct SlotLink {
  std::uint32_t previous = kNoIndex;
  std::uint32_t next = kNoIndex;

  void serialize(Archive& archive) { archive(previous, next); }
};

struct SlotList {
  std::uint32_t first = kNoIndex;
  std::uint32_t last = kNoIndex;

  bool empty() const { return first == kNoIndex; }
  static std::uint32_t next_of(const SlotLink& link) { return link.next; }

  template <class Links>
  void push_back(Links&& links, std::uint32_t slot) {
    const std::uint32_t before = last;
    (before == kNoIndex ? first : links[before].next) = slot;
    links[slot] = {before, kNoIndex};
    last = slot;
  }
  template <class Links>
  void remove(Links&& links, std::uint32_t slot) {
    const SlotLink link = links[slot];
    (link.previous == kNoIndex ? first : links[link.previous].next) = link.next;
    (link.next == kNoIndex ? last : links[link.next].previous) = link.previous;
  }

  // Loading: takes the list's slots; its links lead there and back. Calls see(slot) for each.
  template <class Links, class See>
  void take_all(const Links& links, Places& slots, See see) const {
    std::uint32_t before = kNoIndex;
    const std::uint32_t end = slots.chain(first, [&](std::uint32_t slot) {
      slots.check(links[slot].previous == before);
      see(slot);
      before = slot;
      return links[slot].next;
    });
    slots.check(last == end);
  }
  template <class Links>
  void take_all(const Links& links, Places& slots) const {
    take_all(links, slots, [](std::uint32_t) {});
  }

  void serialize(Archive& archive) { archive(first, last); }
};

}  // namespace hmsim
