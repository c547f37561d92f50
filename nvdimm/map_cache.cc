// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/map_cache.h"

#include "core/errors.h"

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
    dirty_[page_of(page)].push_back(dirty_links_, slot);
    ++dirty_count_;
  }
}

std::uint32_t MapCache::enter(LogicalPage page) {
  if (entries_.size() == capacity_) {
    drop_oldest();
  } else {
    entries_.emplace_back();
    age_links_.emplace_back();
    dirty_links_.emplace_back();
    age_.push_back(age_links_, static_cast<std::uint32_t>(entries_.size() - 1));
  }
  const std::uint32_t slot = age_.last;
  entries_[slot].page = page;
  entries_[slot].dirty = false;
  slots_.insert(page.value(), slot);
  return slot;
}

void MapCache::touch(std::uint32_t slot) {
  age_.remove(age_links_, slot);
  age_.push_back(age_links_, slot);
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
    list.remove(dirty_links_, slot);
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
  const std::size_t pages = dirty_.size();
  archive(entries_, age_links_, dirty_links_, age_, dirty_, listed_, to_write_, dirty_count_,
          counts_);
  if (dirty_.size() != pages || listed_.size() != pages || entries_.size() > capacity_ ||
      age_links_.size() != entries_.size() || dirty_links_.size() != entries_.size()) {
    throw InputError("the checkpoint does not fit this NVDIMM: nvdimm.ftl.map_cache differs");
  }
  if (archive.loading()) {
    slots_.clear();
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
      slots_.insert(entries_[slot].page.value(), slot);
    }
  }
}

}  // namespace hmsim
