// SPDX-License-Identifier: BSD-3-Clause
// The cached entries by translation page; pages, and the entries of each, by recency of their use.
// Slots that a damaged checkpoint lists otherwise than the cache are a Fault.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "policies/map_replacement.h"

namespace hmsim {

class EntryLists {
 public:
  void connect(const MapShape& shape) {
    shape_ = shape;
    entries_.assign(shape.entries, {});
    pages_.assign(shape.translation_pages(), {});
    by_use_ = SlotList();
  }

  void enter(std::uint32_t slot, std::uint64_t page) {
    require(entries_[slot].page == kNoIndex);
    add(slot, static_cast<std::uint32_t>(page / shape_.per_page));
  }
  void use(std::uint32_t slot) {
    const std::uint32_t page = entries_[slot].page;
    leave(slot);
    add(slot, page);
  }
  void leave(std::uint32_t slot) {
    require(entries_[slot].page != kNoIndex);
    Page& page = pages_[entries_[slot].page];
    page.entries.remove(entry_links(), slot);
    if (page.entries.empty()) {
      by_use_.remove(page_links(), entries_[slot].page);
    }
    entries_[slot].page = kNoIndex;
  }

  // Returns the slot of the least recently used page's least recently used entry. Precondition:
  // there is an entry.
  std::uint32_t oldest() const {
    require(!by_use_.empty());
    return pages_[by_use_.first].entries.first;
  }
  // Returns the slot of the page's next entry; kNoIndex after the last one.
  std::uint32_t next(std::uint32_t slot) const { return entries_[slot].link.next; }

  void serialize(Archive& archive) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // translation page, slot
    for (std::uint32_t page = archive.loading() ? kNoIndex : by_use_.first; page != kNoIndex;
         page = pages_[page].link.next) {
      for (std::uint32_t slot = pages_[page].entries.first; slot != kNoIndex; slot = next(slot)) {
        places.emplace_back(page, slot);
      }
    }
    archive(places);
    if (archive.loading()) {
      connect(shape_);
      for (const auto& [page, slot] : places) {
        archive.check_index(page, pages_.size(), "invalid translation page");
        archive.check_index(slot, entries_.size(), "invalid slot of the cached map");
        archive.check(entries_[slot].page == kNoIndex, "slot of the cached map listed twice");
        add(slot, page);
      }
    }
  }

 private:
  struct Entry {
    std::uint32_t page = kNoIndex;  // translation page
    SlotLink link;                  // among the page's entries
  };
  struct Page {
    SlotList entries;
    SlotLink link;  // among the pages with entries
  };

  static void require(bool listed_alike) {
    ensure(listed_alike, "map", Tick(0), -1, "the policy lists other entries than the cache");
  }
  LinksOf<Entry, SlotLink> entry_links() { return links_of(entries_.data(), &Entry::link); }
  LinksOf<Page, SlotLink> page_links() { return links_of(pages_.data(), &Page::link); }
  void add(std::uint32_t slot, std::uint32_t page) {
    if (!pages_[page].entries.empty()) {
      by_use_.remove(page_links(), page);
    }
    by_use_.push_back(page_links(), page);
    pages_[page].entries.push_back(entry_links(), slot);
    entries_[slot].page = page;
  }

  MapShape shape_;
  std::vector<Entry> entries_;  // by slot
  std::vector<Page> pages_;
  SlotList by_use_;  // least recently used page first
};

}  // namespace hmsim
