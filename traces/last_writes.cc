// SPDX-License-Identifier: BSD-3-Clause
#include "traces/last_writes.h"

namespace hmsim {

void LastWrites::write(std::uint64_t page) {
  if (!order_.empty() && pages_[order_.last].number == page) {
    return;
  }
  const auto key = static_cast<std::int64_t>(page);
  std::uint32_t slot = known_.find(key);
  if (slot == kNoIndex && pages_.size() < most_) {
    slot = static_cast<std::uint32_t>(pages_.size());
    pages_.emplace_back();
    known_.insert(key, slot);
  } else {
    if (slot == kNoIndex) {
      slot = order_.first;
      known_.erase(static_cast<std::int64_t>(pages_[slot].number));
      known_.insert(key, slot);
    }
    order_.remove(links_of(pages_.data(), &Page::link), slot);
  }
  pages_[slot].number = page;
  order_.push_back(links_of(pages_.data(), &Page::link), slot);
}

std::vector<std::uint64_t> LastWrites::newest_first() const {
  std::vector<std::uint64_t> all;
  for (std::uint32_t slot = order_.last; slot != kNoIndex; slot = pages_[slot].link.previous) {
    all.push_back(pages_[slot].number);
  }
  return all;
}

}  // namespace hmsim
