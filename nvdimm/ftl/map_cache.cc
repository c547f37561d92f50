// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/map_cache.h"

#include <utility>

namespace hmsim {

bool MapCache::look_up(LogicalPage page) {
  const std::uint32_t slot = slots_.find(page.value());
  ++(slot == kNoIndex ? counts_.misses : counts_.hits);
  if (slot != kNoIndex) {
    touch(slot);
  }
  return slot != kNoIndex;
}

void MapCache::load(LogicalPage page) {
  if (!holds(page)) {
    enter(page);
  }
}

void MapCache::changed(LogicalPage page) {
  std::uint32_t slot = slots_.find(page.value());
  if (slot == kNoIndex) {
    slot = enter(page);
  } else {
    touch(slot);
  }
  if (!entries_[slot].dirty) {
    entries_[slot].dirty = true;
    dirty_[page_of(page)].push_back(by_page(), slot);
    ++dirty_count_;
  }
}

std::uint32_t MapCache::enter(LogicalPage page) {
  if (entries_.size() == capacity_) {
    drop_oldest();
  } else {
    entries_.emplace_back();
    age_.push_back(by_age(), static_cast<std::uint32_t>(entries_.size() - 1));
  }
  const std::uint32_t slot = age_.last;
  entries_[slot].page = page;
  entries_[slot].dirty = false;
  slots_.insert(page.value(), slot);
  return slot;
}

void MapCache::touch(std::uint32_t slot) {
  age_.remove(by_age(), slot);
  age_.push_back(by_age(), slot);
}

// Evicts the oldest entry. Its slot becomes the youngest.
void MapCache::drop_oldest() {
  const std::uint32_t slot = age_.first;
  const Entry entry = entries_[slot];
  const std::uint32_t page = page_of(entry.page);
  ++counts_.evictions;
  if (entry.dirty) {
    ++counts_.dirty_evictions;
    write_later(page);
    written(page);
  }
  slots_.erase(entry.page.value());
  touch(slot);
}

void MapCache::write_later(std::uint32_t translation_page) {
  if (!listed_[translation_page]) {
    listed_[translation_page] = true;
    to_write_.push(translation_page);
  }
}

std::uint32_t MapCache::next_write() {
  if (to_write_.empty()) {
    return kNoIndex;
  }
  const std::uint32_t page = to_write_.front();
  to_write_.pop();
  listed_[page] = false;
  return page;
}

void MapCache::written(std::uint32_t translation_page) {
  SlotList& list = dirty_[translation_page];
  while (!list.empty()) {
    const std::uint32_t slot = list.first;
    list.remove(by_page(), slot);
    entries_[slot].dirty = false;
    --dirty_count_;
  }
}

void MapCache::clear() {
  const MapCounts counts = counts_;
  *this = MapCache(capacity_, dirty_.size(), entries_per_page_);
  counts_ = counts;
}

void MapCache::serialize(Archive& archive) {
  archive.section("map cache");
  serialize_entries(archive);
  Ring<std::uint32_t> pages = to_write_;
  archive(pages, counts_);
  for (; archive.loading() && !pages.empty(); pages.pop()) {
    archive.check_index(pages.front(), dirty_.size(), "invalid translation page");
    write_later(pages.front());
  }
}

// Saves entries oldest first; loading touches them in that order.
void MapCache::serialize_entries(Archive& archive) {
  std::vector<std::pair<LogicalPage, bool>> entries;
  if (!archive.loading()) {
    for (std::uint32_t slot = age_.first; slot != kNoIndex; slot = entries_[slot].by_age.next) {
      entries.emplace_back(entries_[slot].page, entries_[slot].dirty);
    }
  }
  archive(entries);
  if (archive.loading()) {
    clear();
    for (const auto& [page, dirty] : entries) {
      archive.check_index(page.value(), dirty_.size() * entries_per_page_,
                          "invalid page of the cached map");
      dirty ? changed(page) : load(page);
    }
  }
}

}  // namespace hmsim
