// SPDX-License-Identifier: BSD-3-Clause
// Cache of the entries of a map stored in flash. Source: Gupta, Kim and Urgaonkar, "DFTL: A Flash
// Translation Layer Employing Demand-based Selective Caching of Page-level Address Mappings",
// ASPLOS 2009.
//
// Translation pages hold the map's entries. The cache holds single entries; a policy decides which
// (policies/map_replacement.h). A changed entry is dirty. When a dirty entry is evicted, its
// translation page is queued for writing with all of its changes in the cache (DFTL's batch
// update), which become clean. A missing entry is therefore always current in its translation page,
// or in a queued write of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/statistics.h"
#include "core/types.h"
#include "policies/map_replacement.h"

namespace hmsim {

inline constexpr Bytes kCachedEntryBytes{8};  // a page number and its place

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
  // Without `policy`, it is lru_entries.
  explicit MapCache(const MapShape& shape, std::unique_ptr<MapReplacement> policy = nullptr);

  std::uint32_t page_of(LogicalPage page) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(page.value()) / shape_.per_page);
  }

  bool holds(LogicalPage page) const { return slots_.find(page.value()) != kNoIndex; }
  // Returns whether the entry is cached, and counts a hit or a miss.
  bool look_up(LogicalPage page);
  // Adds the entry, whose translation page is in the controller.
  void load(LogicalPage page);
  // Adds the entry, whose translation page was read, and others that the policy selects.
  void load_read(LogicalPage page);
  // Marks the page's entry as dirty after its place changed; adds the entry if it was not cached.
  void changed(LogicalPage page);

  // Returns the next translation page to write, each once; kNoIndex if there is none.
  std::uint32_t next_write();
  bool wants_write() const { return !to_write_.empty(); }
  // Records that the translation page is being written with its current entries.
  void written(std::uint32_t translation_page);

  std::uint64_t dirty_entries() const { return dirty_count_; }
  MapCounts& counts() { return counts_; }

  void clear();  // except the counts
  void serialize(Archive& archive);

 private:
  struct Entry {
    LogicalPage page;
    bool dirty = false;
    SlotLink by_age;
    SlotLink by_page;  // while dirty
  };

  auto by_age() { return links_of(entries_.data(), &Entry::by_age); }
  auto by_age() const { return links_of(entries_.data(), &Entry::by_age); }
  auto by_page() { return links_of(entries_.data(), &Entry::by_page); }
  auto by_page() const { return links_of(entries_.data(), &Entry::by_page); }
  void serialize_entries(Archive& archive);
  void restore_entries(const Archive& archive, const std::vector<LogicalPage>& pages,
                       const std::vector<std::uint32_t>& order,
                       const std::vector<std::uint32_t>& changes);
  std::uint32_t enter(LogicalPage page);
  void write_later(std::uint32_t translation_page);
  void touch(std::uint32_t slot);
  std::uint32_t victim() const;
  void evict(std::uint32_t slot);

  MapShape shape_;
  std::unique_ptr<MapReplacement> policy_;  // nullptr: the least recently used entry
  std::vector<Entry> entries_;              // slots in use
  SlotList age_;                            // least recently used first
  std::vector<SlotList> dirty_;             // by translation page
  std::vector<bool> listed_;                // whether to_write_ has it
  Ring<std::uint32_t> to_write_;
  std::uint64_t dirty_count_ = 0;
  MapCounts counts_;
  KeyMap slots_;
};

}  // namespace hmsim
