// SPDX-License-Identifier: BSD-3-Clause
#include "storage/swap_slots.h"

#include <algorithm>

namespace hmsim {

void SwapSlots::place(std::uint32_t page) {
  const std::uint32_t former = slots_[page];
  if (former != kNoIndex) {
    pages_[former] = kNoIndex;
    --used_[former / kCluster];
  }
  occupy(fixed_ ? page : next_free(), page);
}

void SwapSlots::occupy(std::uint32_t slot, std::uint32_t page) {
  const std::size_t cluster = slot / kCluster;
  if (cluster >= used_.size()) {
    used_.resize(cluster + 1);
    pages_.resize(used_.size() * kCluster, kNoIndex);
  }
  pages_[slot] = page;
  slots_[page] = slot;
  ++used_[cluster];
}

std::uint32_t SwapSlots::next_free() {
  next_ = next_ == count_ ? 0 : next_;
  if (next_ % kCluster == 0) {
    next_ = free_cluster();
  }
  while (page_at(next_) != kNoIndex) {
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
  }
  return next_++;
}

// Returns the first slot of the lowest free cluster; without one, the next slot.
std::uint32_t SwapSlots::free_cluster() {
  const auto lowest = std::find(used_.begin(), used_.end(), 0u);
  const auto first = static_cast<std::uint64_t>(lowest - used_.begin()) * kCluster;
  return first < count_ ? static_cast<std::uint32_t>(first) : next_;
}

void SwapSlots::serialize(Archive& archive, std::size_t pages) {
  archive(slots_, next_);
  if (!archive.loading()) {
    return;
  }
  archive.check(slots_.size() == pages, "number of places that differs from that of pages");
  // Pages fill the lowest free cluster first, so the used clusters are at most one per page.
  const std::uint64_t most = std::min<std::uint64_t>(count_, (pages + 1) * kCluster);
  archive.check(next_ <= most, "invalid next place of a page");
  pages_.clear();
  used_.clear();
  for (std::uint32_t page = 0; page < pages; ++page) {
    const std::uint32_t slot = slots_[page];
    if (slot != kNoIndex) {
      archive.check(slot < most && page_at(slot) == kNoIndex && (!fixed_ || slot == page),
                    "invalid place of a page");
      occupy(slot, page);
    }
  }
}

}  // namespace hmsim
