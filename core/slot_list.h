// SPDX-License-Identifier: BSD-3-Clause
// Intrusive lists of slots linked by index: SlotChain is singly linked, SlotList doubly linked. The
// links are stored outside the list, in a vector or as a member of the slots' records; links[slot]
// is the link of a slot. A slot can be in at most one list that uses the same links.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/slot_claims.h"

namespace hmsim {

// Accessor for links that are stored as a member of the records.
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

// Saves the slots of a list or chain in order. When loading, relinks the saved slots, each of which
// must be below `size`. see(slot) is called before a slot is linked and must reject invalid slots.
// A SlotList cannot hold a slot twice, so its see() must also reject a slot that is already listed.
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
      archive.check_index(slot, size, "invalid slot in a list");
      see(slot);
      list.push_back(links, slot);
    }
  }
}

// Singly linked first-in, first-out list. A link is the index of the next slot.
struct SlotChain {
  std::uint32_t first = kNoIndex;
  std::uint32_t last = kNoIndex;  // undefined if the chain is empty

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
  // Removes and returns the slot after `previous`, or the first slot if `previous` is kNoIndex.
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

  // When loading, claims the chain's slots, checks that it ends at `last`, and calls see(slot) for
  // each.
  template <class Links, class See>
  void claim_all(const Links& links, SlotClaims& slots, See see) const {
    const std::uint32_t end = slots.chain(first, [&](std::uint32_t slot) {
      see(slot);
      return links[slot];
    });
    slots.check(empty() || last == end);
  }

  void serialize(Archive& archive) { archive(first, last); }
};

// Link of a slot in a SlotList.
struct SlotLink {
  std::uint32_t previous = kNoIndex;
  std::uint32_t next = kNoIndex;

  void serialize(Archive& archive) { archive(previous, next); }
};

// Doubly linked list: removes any slot in O(1).
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

  // When loading, claims the list's slots, checks that the links agree in both directions, and
  // calls see(slot) for each.
  template <class Links, class See>
  void claim_all(const Links& links, SlotClaims& slots, See see) const {
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
  void claim_all(const Links& links, SlotClaims& slots) const {
    claim_all(links, slots, [](std::uint32_t) {});
  }

  void serialize(Archive& archive) { archive(first, last); }
};

}  // namespace hmsim
