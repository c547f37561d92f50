// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/full_block_list.h"

#include <algorithm>

namespace hmsim {

FullBlockList::FullBlockList(FlashBlock* blocks, std::uint32_t count, std::uint32_t pages)
    : blocks_(blocks), block_count_(count), pages_(pages), buckets_(std::size_t{pages} + 1) {}

bool FullBlockList::next_alike(BlockView& current) const {
  const std::uint32_t next = blocks_[current.block].alike.next;
  if (next != kNoIndex) {
    current = view(next);
  }
  return next != kNoIndex;
}

std::uint32_t FullBlockList::find_fewest() {
  while (fewest_ < pages_ && buckets_[fewest_].empty()) {
    ++fewest_;
  }
  return fewest_;
}

std::uint32_t FullBlockList::first_failing() const {
  std::uint32_t block = filled_.first;
  while (!blocks_[block].failing) {
    block = blocks_[block].age.next;
  }
  return block;
}

std::uint32_t FullBlockList::first_one_bit() const {
  std::uint32_t block = filled_.first;
  while (!blocks_[block].one_bit()) {
    block = blocks_[block].age.next;
  }
  return block;
}

std::uint32_t FullBlockList::least_worn(std::uint32_t erases) const {
  std::uint32_t coldest = kNoIndex;
  for (std::uint32_t block = filled_.first; block != kNoIndex; block = blocks_[block].age.next) {
    if (blocks_[block].erases < erases) {
      coldest = block;
      erases = blocks_[block].erases;
    }
  }
  return coldest;
}

void FullBlockList::add(std::uint32_t block) {
  blocks_[block].slot = static_cast<std::uint32_t>(full_.size());
  full_.push_back(block);
  filled_.push_back(links(&FlashBlock::age), block);
  enter_bucket(block);
}

void FullBlockList::remove(std::uint32_t block) {
  leave_bucket(block);
  filled_.remove(links(&FlashBlock::age), block);
  full_[blocks_[block].slot] = full_.back();
  blocks_[full_.back()].slot = blocks_[block].slot;
  full_.pop_back();
}

void FullBlockList::enter_bucket(std::uint32_t block) {
  const std::uint32_t valid = blocks_[block].valid;
  buckets_[valid].push_back(links(&FlashBlock::alike), block);
  fewest_ = std::min(fewest_, valid);
}

void FullBlockList::leave_bucket(std::uint32_t block) {
  buckets_[blocks_[block].valid].remove(links(&FlashBlock::alike), block);
}

void FullBlockList::clear() { *this = FullBlockList(blocks_, block_count_, pages_); }

void FullBlockList::serialize_orders(Archive& archive) {
  const auto follow = [this](const SlotList& list, SlotLink FlashBlock::*link,
                             std::vector<std::uint32_t>& order) {
    for (std::uint32_t block = list.first; block != kNoIndex; block = (blocks_[block].*link).next) {
      order.push_back(block);
    }
  };
  std::vector<std::uint32_t> filled;
  std::vector<std::uint32_t> alike;
  if (!archive.loading()) {
    follow(filled_, &FlashBlock::age, filled);
    for (const SlotList& bucket : buckets_) {
      follow(bucket, &FlashBlock::alike, alike);
    }
  }
  const std::vector<std::uint32_t> full = serialize_order(archive, full_);
  filled = serialize_order(archive, filled);
  alike = serialize_order(archive, alike);
  if (!archive.loading()) {
    return;
  }
  full_ = full;
  for (std::size_t slot = 0; slot < full.size(); ++slot) {
    blocks_[full[slot]].slot = static_cast<std::uint32_t>(slot);
  }
  filled_ = SlotList();
  for (const std::uint32_t block : filled) {
    filled_.push_back(links(&FlashBlock::age), block);
  }
  std::fill(buckets_.begin(), buckets_.end(), SlotList());
  fewest_ = 0;
  for (const std::uint32_t block : alike) {
    enter_bucket(block);
  }
}

// Saves the full blocks' positions in `order`. When loading, returns the full blocks in the order
// of the saved positions, which need not be valid.
std::vector<std::uint32_t> FullBlockList::serialize_order(
    Archive& archive, const std::vector<std::uint32_t>& order) const {
  std::vector<std::uint32_t> places(block_count_);
  for (std::size_t i = 0; i < order.size() && !archive.loading(); ++i) {
    places[order[i]] = static_cast<std::uint32_t>(i);
  }
  archive.fixed(places);
  std::vector<std::uint32_t> full;
  for (std::uint32_t block = 0; block < block_count_; ++block) {
    if (blocks_[block].state == BlockState::full) {
      full.push_back(block);
    }
  }
  std::stable_sort(full.begin(), full.end(),
                   [&places](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  return full;
}

}  // namespace hmsim
