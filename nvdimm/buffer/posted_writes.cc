// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/posted_writes.h"

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

PostedWrites::PostedWrites(std::size_t first, std::size_t entries, bool store_data)
    : first_(first), entries_(entries), data_(store_data ? entries : 0) {
  for (std::size_t i = entries; i > 0; --i) {
    free_.push_back(static_cast<std::uint32_t>(first + i - 1));
  }
}

std::uint32_t PostedWrites::add(std::int64_t line, const LineData& data, std::uint16_t handle) {
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  enter(tag, line);
  entries_[tag - first_].handle = handle;
  if (!data_.empty()) {
    data_[tag - first_] = data;
  }
  return tag;
}

void PostedWrites::enter(std::uint32_t tag, std::int64_t line) {
  ++used_;
  const std::uint32_t older = latest_.find(line);
  if (older != kNoIndex) {
    entries_[older - first_].newer = tag;
    latest_.erase(line);
  }
  latest_.insert(line, tag);
  entries_[tag - first_] = {line, older, kNoIndex, SlotChain(), true};
}

void PostedWrites::remove(std::uint32_t tag) {
  Entry& entry = entries_[tag - first_];
  ensure(entry.used, "nvdimm", Tick(0), tag, "end of an invalid posted write");
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

// Saves the pending writes; those of a line oldest first.
void PostedWrites::serialize(Archive& archive) {
  archive.section("posted writes");
  std::vector<std::uint32_t> tags;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].used && entries_[i].older == kNoIndex) {
      for (auto tag = static_cast<std::uint32_t>(first_ + i); tag != kNoIndex;
           tag = entries_[tag - first_].newer) {
        tags.push_back(tag);
      }
    }
  }
  archive.fixed(entries_, data_);
  archive(free_, tags);
  if (archive.loading()) {
    SlotClaims entries(archive, entries_.size(), "posted write that is free, or listed twice");
    for (const std::uint32_t tag : free_) {
      entries.claim(tag - first_);  // a tag below first_ wraps to a position that is rejected
    }
    used_ = 0;
    latest_.clear();
    for (const std::uint32_t tag : tags) {
      entries.claim(tag - first_);
      const Entry saved = entries_[tag - first_];
      enter(tag, saved.line);
      entries_[tag - first_].readers = saved.readers;
      entries_[tag - first_].handle = saved.handle;
    }
    entries.check(entries.all());
  }
}

}  // namespace hmsim
