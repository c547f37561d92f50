// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/map_cache.h"

#include "core/places.h"

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

// Its slot is then the youngest.
void MapCache::drop_oldest() {
  const std::uint32_t slot = age_.first;
  const Entry entry = entries_[slot];
  const std::uint32_t page = page_of(entry.page);
  ++counts_.evictions;
  if (entry.dirty) {
    ++counts_.dirty_evictions;
    if (!listed_[page]) {
      listed_[page] = true;
      to_write_.push(page);
    }
    written(page);
  }
  slots_.erase(entry.page.value());
  touch(slot);
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
  archive(entries_, age_);
  archive.fixed(dirty_, listed_);
  archive(to_write_, dirty_count_, counts_);
  if (archive.loading()) {
    check_loaded(archive);
    slots_.clear();
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
      archive.check(!holds(entries_[slot].page), "a map entry is cached twice");
      slots_.insert(entries_[slot].page.value(), slot);
    }
  }
}

void MapCache::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "the cached map does not hold together";
  const std::size_t count = entries_.size();
  archive.check(count <= capacity_, kWrong);
  Places aged(archive, count, kWrong);
  age_.take_all(by_age(), aged);
  Places dirty(archive, count, kWrong);
  for (std::uint32_t page = 0; page < dirty_.size(); ++page) {
    const auto in_page = [&](std::uint32_t slot) {
      archive.check(entries_[slot].dirty && page_of(entries_[slot].page) == page, kWrong);
    };
    dirty_[page].take_all(by_page(), dirty, in_page);
  }
  Places writes(archive, dirty_.size(), kWrong);
  to_write_.each([&](std::uint32_t page) { writes.take(page); });
  for (std::size_t page = 0; page < listed_.size(); ++page) {
    archive.check(listed_[page] == writes.has(page), kWrong);
  }
  for (std::size_t slot = 0; slot < count; ++slot) {
    archive.check(entries_[slot].page >= LogicalPage(0) &&
                      entries_[slot].page < LogicalPage(static_cast<std::int64_t>(
                                                dirty_.size() * entries_per_page_)) &&
                      entries_[slot].dirty == dirty.has(slot),
                  kWrong);
  }
  archive.check(aged.all() && dirty.count() == dirty_count_, kWrong);
}

}  // namespace hmsim
