// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/posted_writes.h"

#include "core/errors.h"

namespace hmsim {

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
  entries_[tag - first_] = {line, older, kNoIndex, CommandChain(), true};
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
  const std::size_t entries = entries_.size();
  archive.section("posted writes");
  archive(entries_, data_, free_, used_);
  if (entries_.size() != entries) {
    throw InputError(
        "the checkpoint does not fit this NVDIMM: controller.nvdimm_p.credits differs");
  }
  if (archive.loading()) {
    latest_.clear();
    for (std::size_t i = 0; i < entries; ++i) {
      if (entries_[i].used && entries_[i].newer == kNoIndex) {
        latest_.insert(entries_[i].line, static_cast<std::uint32_t>(first_ + i));
      }
    }
  }
}

}  // namespace hmsim
