// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/posted_writes.h"

#include "core/places.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "posted writes do not hold together";

}  // namespace

PostedWrites::PostedWrites(std::size_t first, std::size_t entries, bool store_data)
    : first_(first), entries_(entries), data_(store_data ? entries : 0) {
  for (std::size_t i = entries; i > 0; --i) {
    free_.push_back(static_cast<std::uint32_t>(first + i - 1));
  }
}

std::uint32_t PostedWrites::add(std::int64_t line, const LineData& data) {
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  ++used_;
  const std::uint32_t older = latest_.find(line);
  if (older != kNoIndex) {
    entries_[older - first_].newer = tag;
    latest_.erase(line);
  }
  latest_.insert(line, tag);
  entries_[tag - first_] = {line, older, kNoIndex, SlotChain(), true};
  if (!data_.empty()) {
    data_[tag - first_] = data;
  }
  return tag;
}

void PostedWrites::remove(std::uint32_t tag) {
  Entry& entry = entries_[tag - first_];
  entry.used = false;
  if (entry.newer == kNoIndex) {
    latest_.erase(entry.line);
  } else {
    entries_[entry.newer - first_].older = kNoIndex;
  }
  free_.push_back(tag);
  --used_;
}

void PostedWrites::apply(std::int64_t line, LineBytes& bytes) const {
  std::uint32_t tag = latest(line);
  if (tag == kNoIndex) {
    return;
  }
  while (entries_[tag - first_].older != kNoIndex) {
    tag = entries_[tag - first_].older;
  }
  for (; tag != kNoIndex; tag = entries_[tag - first_].newer) {
    data_[tag - first_].apply_to(bytes);
  }
}

void PostedWrites::discard(std::int64_t first, std::int64_t end) {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    if (entries_[i].used && entries_[i].line >= first && entries_[i].line < end) {
      data_[i].mask = 0;
    }
  }
}

void PostedWrites::serialize(Archive& archive) {
  archive.section("posted writes");
  archive.fixed(entries_, data_);
  archive(free_, used_);
  if (archive.loading()) {
    check_loaded(archive);
    latest_.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].used && entries_[i].newer == kNoIndex) {
        archive.check(latest_.find(entries_[i].line) == kNoIndex, kWrong);
        latest_.insert(entries_[i].line, static_cast<std::uint32_t>(first_ + i));
      }
    }
  }
}

// An entry is free, or in the chain of its line from the oldest to the newest.
void PostedWrites::check_loaded(const Archive& archive) const {
  Places entries(archive, entries_.size(), kWrong);
  for (const std::uint32_t tag : free_) {
    entries.take(tag - first_);  // of a tag below the first: far behind the last
    archive.check(!uses(tag), kWrong);
  }
  archive.check(used_ == entries_.size() - entries.count(), kWrong);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].used || entries_[i].older != kNoIndex) {
      continue;
    }
    std::uint32_t older = kNoIndex;
    for (auto tag = static_cast<std::uint32_t>(first_ + i); tag != kNoIndex;) {
      entries.take(tag - first_);
      const Entry& entry = entries_[tag - first_];
      archive.check(entry.used && entry.older == older && entry.line == entries_[i].line, kWrong);
      older = tag;
      tag = entry.newer;
    }
  }
  archive.check(entries.all(), kWrong);
}

}  // namespace hmsim
