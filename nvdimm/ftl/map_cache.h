// SPDX-License-Identifier: BSD-3-Clause
// The cached part of a map that lies in flash: Gupta, Kim and Urgaonkar, "DFTL: A Flash Translation
// Layer Employing Demand-based Selective Caching of Page-level Address Mappings", ASPLOS 2009.
//
// The map's entries fill translation pages; the cache holds single entries, least recently used
// ones leaving first. An entry that has changed is dirty; when it leaves, its translation page is
// to be written with all changes to it that the cache knows of (DFTL's batch update), and these are
// clean from then on. So whoever misses an entry finds it in its translation page, or in one that
// is to be written.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

inline constexpr Bytes kCachedEntryBytes{8};  // in the cache: a page and its place

struct MapCounts {
  Counter hits = 0;
  Counter misses = 0;
  Counter evictions = 0;
  Counter dirty_evictions = 0;
  Counter reads = 0;  // of translation pages, to fetch or to complete them

  void serialize(Archive& archive) { archive(hits, misses, evictions, dirty_evictions, reads); }
};

class MapCache {
 public:
  // Of so many entries, one at least, of a map with so many translation pages of so many entries.
  MapCache(std::uint64_t entries, std::uint64_t translation_pages, std::uint64_t entries_per_page)
      : capacity_(static_cast<std::uint32_t>(entries)),
        entries_per_page_(entries_per_page),
        dirty_(static_cast<std::size_t>(translation_pages)),
        listed_(static_cast<std::size_t>(translation_pages)) {}

  std::uint32_t page_of(LogicalPage page) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(page.value()) / entries_per_page_);
  }

  bool holds(LogicalPage page) const { return slots_.find(page.value()) != kNoIndex; }
  // Counts a hit or a miss.
  bool look_up(LogicalPage page);
  // The entry was fetched.
  void load(LogicalPage page);
  // The page's place is another one: its entry is dirty, whether it was here or not.
  void changed(LogicalPage page);

  // The translation page that is to be written next, each once; kNoIndex: none.
  std::uint32_t next_write();
  bool wants_write() const { return !to_write_.empty(); }
  // It is being written: what it says is what its entries are now.
  void written(std::uint32_t translation_page);

  std::uint64_t dirty_entries() const { return dirty_count_; }
  MapCounts& counts() { return counts_; }

  void clear();  // but for the counts
  void serialize(Archive& archive);

 private:
  struct Entry {
    LogicalPage page;
    bool dirty = false;
    SlotLink by_age;
    SlotLink by_page;  // while it is dirty
  };

  auto by_age() { return links_of(entries_.data(), &Entry::by_age); }
  auto by_age() const { return links_of(entries_.data(), &Entry::by_age); }
  auto by_page() { return links_of(entries_.data(), &Entry::by_page); }
  auto by_page() const { return links_of(entries_.data(), &Entry::by_page); }
  void serialize_entries(Archive& archive);
  std::uint32_t enter(LogicalPage page);
  void write_later(std::uint32_t translation_page);
  void touch(std::uint32_t slot);
  void drop_oldest();

  std::uint32_t capacity_;
  std::uint64_t entries_per_page_;
  std::vector<Entry> entries_;   // slots in use
  SlotList age_;                 // least recently used first
  std::vector<SlotList> dirty_;  // by translation page
  std::vector<bool> listed_;     // in to_write_
  Ring<std::uint32_t> to_write_;
  std::uint64_t dirty_count_ = 0;
  MapCounts counts_;
  KeyMap slots_;
};

}  // namespace hmsim
