// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the FTL.
#include <algorithm>
#include <functional>

#include "nvdimm/ftl/ftl.h"

namespace hmsim {

void Ftl::serialize(Archive& archive) {
  archive.section("ftl");
  archive.fixed(blocks_);
  archive(cursor_, version_, random_, *selector_);
  archive.check_index(cursor_, shape_.stripe.size(), "the next LUN does not exist");
  serialize_map(archive);
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    serialize_lun(archive, lun);
  }
  if (map_ != nullptr) {
    archive(*map_);
  }
}

// Only l2p_, two entries in a number, without the stretches that were never written. p2l_ and the
// counts of valid pages follow from it.
void Ftl::serialize_map(Archive& archive) {
  constexpr std::size_t kStretch = 1024;
  if (archive.loading()) {
    l2p_ = ZeroedArray(l2p_.size());
    p2l_ = ZeroedArray(p2l_.size());
  }
  for (std::size_t begin = 0; begin < l2p_.size(); begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, l2p_.size());
    bool written = false;
    for (std::size_t i = begin; i < end && !written; ++i) {
      written = l2p_[i] != 0;
    }
    archive(written);
    for (std::size_t i = begin; written && i < end; i += 2) {
      const bool second = i + 1 < end;
      std::uint64_t pair = l2p_[i] | std::uint64_t{second ? l2p_[i + 1] : 0} << 32;
      archive(pair);
      if (archive.loading()) {
        l2p_[i] = static_cast<std::uint32_t>(pair);
        if (second) {
          l2p_[i + 1] = static_cast<std::uint32_t>(pair >> 32);
        }
      }
    }
  }
  if (archive.loading()) {
    count_valid(archive);
  }
}

void Ftl::count_valid(const Archive& archive) {
  for (Lun& lun : luns_) {
    lun.valid = 0;
  }
  for (std::size_t page = 0; page < l2p_.size(); ++page) {
    if (l2p_[page] == 0) {
      continue;
    }
    archive.check(l2p_[page] <= p2l_.size() && p2l_[l2p_[page] - 1] == 0,
                  "two logical pages lie in the same place, or one in none");
    const PhysicalPage at(std::int64_t{l2p_[page]} - 1);
    p2l_[index(at)] = static_cast<std::uint32_t>(page + 1);
    Block& block = blocks_[block_index(lun_of(at), block_of(at))];
    archive.check(block.state != State::free && block.state != State::bad &&
                      at.value() % shape_.pages < block.completed,
                  "a logical page lies where none was written");
    ++block.valid;
    ++luns_[lun_of(at)].valid;
  }
}

// Free blocks, and the counts of bad, failing and worn ones, follow from the blocks' states; their
// lists from these and from three orders.
void Ftl::serialize_lun(Archive& archive, std::uint32_t lun) {
  Lun& state = luns_[lun];
  archive(state.frontiers, state.claimed, state.written, state.in_flight, state.invalid);
  for (const Frontier& frontier : state.frontiers) {
    archive.check_index(frontier.block, shape_.blocks, kNoIndex, "an open block does not exist");
    archive.check(frontier.next_page <= shape_.pages && frontier.next_page % shape_.parts() == 0,
                  "an open block is written beyond its end");
  }
  const auto members = [&](SlotLink Block::*link, const SlotList& list,
                           std::vector<std::uint32_t>& blocks) {
    for (std::uint32_t block = list.first; block != kNoIndex;
         block = links(lun, link)[block].next) {
      blocks.push_back(block);
    }
  };
  std::vector<std::uint32_t> filled;
  std::vector<std::uint32_t> alike;
  if (!archive.loading()) {
    members(&Block::age, state.filled, filled);
    for (const SlotList& bucket : state.buckets) {
      members(&Block::alike, bucket, alike);
    }
  }
  const std::vector<std::uint32_t> full = serialize_order(archive, lun, state.full);
  filled = serialize_order(archive, lun, filled);
  alike = serialize_order(archive, lun, alike);
  if (archive.loading()) {
    list_blocks(lun, full, filled, alike);
    count_wear(lun);
  }
}

// Saves the full blocks' places among `blocks`. Returns the full blocks in the order of these
// places, whatever they are.
std::vector<std::uint32_t> Ftl::serialize_order(Archive& archive, std::uint32_t lun,
                                                const std::vector<std::uint32_t>& blocks) {
  std::vector<std::uint32_t> places(shape_.blocks);
  for (std::size_t i = 0; i < blocks.size() && !archive.loading(); ++i) {
    places[blocks[i]] = static_cast<std::uint32_t>(i);
  }
  archive.fixed(places);
  std::vector<std::uint32_t> full;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (blocks_[block_index(lun, block)].state == State::full) {
      full.push_back(block);
    }
  }
  std::stable_sort(full.begin(), full.end(),
                   [&places](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  return full;
}

void Ftl::list_blocks(std::uint32_t lun, const std::vector<std::uint32_t>& full,
                      const std::vector<std::uint32_t>& filled,
                      const std::vector<std::uint32_t>& alike) {
  Lun& state = luns_[lun];
  state.free.clear();
  state.bad = 0;
  state.failing = 0;
  for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
    const Block& block = blocks_[block_index(lun, number)];
    state.bad += block.state == State::bad ? 1 : 0;
    state.failing += block.state == State::full && block.failing ? 1 : 0;
    if (block.state == State::free) {
      state.free.push_back(std::uint64_t{block.erases} << 32 | number);
    }
  }
  std::make_heap(state.free.begin(), state.free.end(), std::greater<>());
  state.full = full;
  for (std::size_t slot = 0; slot < full.size(); ++slot) {
    blocks_[block_index(lun, full[slot])].slot = static_cast<std::uint32_t>(slot);
  }
  state.filled = SlotList();
  for (const std::uint32_t block : filled) {
    state.filled.push_back(links(lun, &Block::age), block);
  }
  std::fill(state.buckets.begin(), state.buckets.end(), SlotList());
  state.fewest = 0;
  for (const std::uint32_t block : alike) {
    enter_bucket(lun, block);
  }
}

}  // namespace hmsim
