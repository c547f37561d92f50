// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/map_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.h"

namespace hmsim {

MapCache::MapCache(const MapShape& shape, std::unique_ptr<MapReplacement> policy)
    : shape_(shape),
      policy_(policy == nullptr || policy->by_recency() ? nullptr : std::move(policy)),
      dirty_(shape.translation_pages()),
      listed_(shape.translation_pages()) {
  if (policy_ != nullptr) {
    policy_->connect(shape_);
  }
}

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

void MapCache::load_read(LogicalPage page) {
  const auto number = static_cast<std::uint64_t>(page.value());
  if (policy_ != nullptr) {
    const std::uint64_t first = page_of(page) * shape_.per_page;
    const MapRange all{first, std::min(shape_.per_page, shape_.pages - first)};
    const MapRange wanted = policy_->loads(number, all);
    const std::uint64_t end = std::min(wanted.first + wanted.count, first + all.count);
    for (std::uint64_t next = std::max(wanted.first, first); next < end; ++next) {
      load(LogicalPage(static_cast<std::int64_t>(next)));
    }
  }
  load(page);
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
    if (policy_ != nullptr) {
      policy_->marked(slot, true);
    }
  }
}

std::uint32_t MapCache::enter(LogicalPage page) {
  std::uint32_t slot = static_cast<std::uint32_t>(entries_.size());
  if (slot == shape_.entries) {
    slot = victim();
    evict(slot);
  } else {
    entries_.emplace_back();
  }
  entries_[slot].page = page;
  entries_[slot].dirty = false;
  age_.push_back(by_age(), slot);
  slots_.insert(page.value(), slot);
  if (policy_ != nullptr) {
    policy_->entered(slot, static_cast<std::uint64_t>(page.value()));
  }
  return slot;
}

void MapCache::touch(std::uint32_t slot) {
  age_.remove(by_age(), slot);
  age_.push_back(by_age(), slot);
  if (policy_ != nullptr) {
    policy_->used(slot);
  }
}

std::uint32_t MapCache::victim() const {
  const std::uint32_t slot = policy_ == nullptr ? age_.first : policy_->victim();
  if (slot >= entries_.size()) {
    throw InputError("ftl.map_replacement: the policy returned slot " + std::to_string(slot) +
                     ": must be below " + std::to_string(entries_.size()));
  }
  return slot;
}

// The caller fills the slot again.
void MapCache::evict(std::uint32_t slot) {
  const Entry entry = entries_[slot];
  const std::uint32_t page = page_of(entry.page);
  ++counts_.evictions;
  if (entry.dirty) {
    ++counts_.dirty_evictions;
    write_later(page);
    written(page);
  }
  slots_.erase(entry.page.value());
  age_.remove(by_age(), slot);
  if (policy_ != nullptr) {
    policy_->left(slot);
  }
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
    if (policy_ != nullptr) {
      policy_->marked(slot, false);
    }
  }
}

void MapCache::clear() {
  const MapCounts counts = counts_;
  *this = MapCache(shape_, std::move(policy_));
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

// Saves the page of each slot, the slots by age, and the dirty ones.
void MapCache::serialize_entries(Archive& archive) {
  std::vector<LogicalPage> pages;
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> changes;
  if (!archive.loading()) {
    for (const Entry& entry : entries_) {
      pages.push_back(entry.page);
    }
    for (std::uint32_t slot = age_.first; slot != kNoIndex; slot = entries_[slot].by_age.next) {
      order.push_back(slot);
    }
    for (const SlotList& list : dirty_) {
      for (std::uint32_t slot = list.first; slot != kNoIndex; slot = entries_[slot].by_page.next) {
        changes.push_back(slot);
      }
    }
  }
  archive(pages, order, changes);
  if (archive.loading()) {
    clear();
    restore_entries(archive, pages, order, changes);
  }
  if (policy_ != nullptr) {
    archive(*policy_);
  }
}

void MapCache::restore_entries(const Archive& archive, const std::vector<LogicalPage>& pages,
                               const std::vector<std::uint32_t>& order,
                               const std::vector<std::uint32_t>& changes) {
  archive.check(pages.size() <= shape_.entries && order.size() == pages.size(),
                "invalid size of the cached map");
  entries_.resize(pages.size());
  std::vector<bool> listed(pages.size());
  for (const std::uint32_t slot : order) {
    archive.check_index(slot, pages.size(), "invalid slot of the cached map");
    const LogicalPage page = pages[slot];
    archive.check_index(page.value(), shape_.pages, "invalid page of the cached map");
    archive.check(!listed[slot] && !holds(page), "page of the cached map listed twice");
    listed[slot] = true;
    entries_[slot].page = page;
    age_.push_back(by_age(), slot);
    slots_.insert(page.value(), slot);
  }
  for (const std::uint32_t slot : changes) {
    archive.check_index(slot, pages.size(), "invalid slot of the cached map");
    archive.check(!entries_[slot].dirty, "page of the cached map listed twice");
    entries_[slot].dirty = true;
    dirty_[page_of(pages[slot])].push_back(by_page(), slot);
  }
  dirty_count_ = changes.size();
}

}  // namespace hmsim
