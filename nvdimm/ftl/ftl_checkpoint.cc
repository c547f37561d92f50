// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the FTL.
#include <algorithm>
#include <functional>

#include "core/places.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kMostErases = 1u << 22;  // of a block: far beyond what flash endures

}  // namespace

void Ftl::serialize(Archive& archive) {
  archive.section("ftl");
  archive.fixed(blocks_);
  archive(cursor_, version_, random_, *selector_);
  archive.check_index(cursor_, shape_.stripe.size(), "the next LUN is none");
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
  for (std::size_t first = shape_.logical_pages; first < l2p_.size(); first += shape_.parts()) {
    archive.check(l2p_[first] == 0 || l2p_[first] % shape_.parts() == 1 % shape_.parts(),
                  "a translation page does not begin where a flash page does");
    for (std::size_t part = 1; part < shape_.parts(); ++part) {
      const std::uint32_t expected =
          l2p_[first] == 0 ? 0 : l2p_[first] + static_cast<std::uint32_t>(part);
      archive.check(l2p_[first + part] == expected, "a translation page is in pieces");
    }
  }
}

void Ftl::serialize_lun(Archive& archive, std::uint32_t lun) {
  Lun& state = luns_[lun];
  archive(state.free, state.frontiers, state.full, state.claimed, state.written, state.in_flight,
          state.invalid, state.bad, state.failing);
  if (archive.loading()) {
    check_lun(archive, lun);
    if (state.bad > shape_.bad_blocks) {
      check_room(lun);
    }
    count_wear(lun);
    state.fewest = 0;
  }
  serialize_list(archive, lun, state.filled, &Block::age);
  for (SlotList& bucket : state.buckets) {
    serialize_list(archive, lun, bucket, &Block::alike);
  }
  if (archive.loading()) {
    check_lists(archive, lun);
  }
}

void Ftl::serialize_list(Archive& archive, std::uint32_t lun, SlotList& list,
                         SlotLink Block::*link) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = archive.loading() ? kNoIndex : list.first; i != kNoIndex;
       i = links(lun, link)[i].next) {
    members.push_back(i);
  }
  archive(members);
  if (!archive.loading()) {
    return;
  }
  list = SlotList();
  archive.check_indices(members, shape_.blocks, "a list of flash blocks names one that is none");
  for (const std::uint32_t block : members) {
    list.push_back(links(lun, link), block);
  }
}

// Pages of a block that is neither free nor bad which are allocated, or never will be.
std::uint32_t Ftl::allocated_pages(std::uint32_t lun, std::uint32_t block) const {
  const Block& entry = blocks_[block_index(lun, block)];
  return entry.state == State::open ? std::min<std::uint32_t>(written_pages(lun, block), entry.end)
                                    : shape_.pages;
}

// Each block is in one of its states, and where that state has it; the counts are those of the
// blocks.
void Ftl::check_lun(const Archive& archive, std::uint32_t lun) const {
  const Lun& state = luns_[lun];
  Places blocks(archive, shape_.blocks, "the lists of flash blocks do not hold together");
  for (const std::uint64_t entry : state.free) {
    const auto number = static_cast<std::uint32_t>(entry);
    blocks.take(number);
    const Block& block = blocks_[block_index(lun, number)];
    archive.check(block.state == State::free && block.erases == entry >> 32 && !block.failing,
                  "a flash block is free that is not");
  }
  archive.check(std::is_heap(state.free.begin(), state.free.end(), std::greater<>()),
                "free flash blocks are out of order");
  for (std::size_t slot = 0; slot < state.full.size(); ++slot) {
    blocks.take(state.full[slot]);
    const Block& block = blocks_[block_index(lun, state.full[slot])];
    archive.check(block.state == State::full && block.slot == slot,
                  "a flash block is full that is not");
  }
  for (const Frontier& frontier : state.frontiers) {
    archive.check_index(frontier.block, shape_.blocks, kNoIndex, "an open flash block is none");
    archive.check(frontier.next_page <= shape_.pages && frontier.next_page % shape_.parts() == 0,
                  "an open flash block has too many pages, or parts of one");
    if (!spent(frontier)) {
      blocks.take(frontier.block);
      const Block& block = blocks_[block_index(lun, frontier.block)];
      archive.check(block.state == State::open && block.completed <= frontier.next_page &&
                        block.end == shape_.pages && !block.failing,
                    "a flash block is open that is not");
    }
  }
  std::uint64_t in_flight = 0;
  std::uint64_t written = 0;
  std::uint32_t bad = 0;
  std::uint32_t failing = 0;
  for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
    const Block& block = blocks_[block_index(lun, number)];
    const bool open = block.state == State::open;
    archive.check(block.erases <= kMostErases && block.changed <= state.written,
                  "a flash block's age is none");
    archive.check(block.completed % shape_.parts() == 0 && block.end % shape_.parts() == 0,
                  "a flash page is written in part");
    archive.check(
        blocks.has(number) || (open ? block.completed < block.end && block.end <= shape_.pages
                                    : block.state == State::victim || block.state == State::bad),
        "the lists of flash blocks do not hold together");
    bad += block.state == State::bad ? 1 : 0;
    failing += block.state == State::full && block.failing ? 1 : 0;
    if (block.state != State::free && block.state != State::bad) {
      archive.check(open || block.completed == shape_.pages, "a full flash block is not");
      in_flight += allocated_pages(lun, number) - block.completed;
      written += block.completed + (open ? shape_.pages - block.end : 0);
    }
  }
  archive.check(state.bad == bad && state.failing == failing && state.in_flight == in_flight &&
                    state.valid + state.invalid == written,
                "a count of flash pages or blocks is wrong");
}

// The full blocks, by age and by valid pages.
void Ftl::check_lists(const Archive& archive, std::uint32_t lun) const {
  constexpr const char* kWrong = "the lists of full flash blocks do not hold together";
  const Lun& state = luns_[lun];
  const auto follow = [&](Places& blocks, const SlotList& list, SlotLink Block::*link,
                          std::uint32_t valid) {
    blocks.chain(list.first, [&](std::uint32_t number) {
      const Block& block = blocks_[block_index(lun, number)];
      archive.check(block.state == State::full && (valid == kNoIndex || block.valid == valid),
                    kWrong);
      return (block.*link).next;
    });
  };
  Places filled(archive, shape_.blocks, kWrong);
  follow(filled, state.filled, &Block::age, kNoIndex);
  Places alike(archive, shape_.blocks, kWrong);
  for (std::uint32_t valid = 0; valid < state.buckets.size(); ++valid) {
    follow(alike, state.buckets[valid], &Block::alike, valid);
  }
  archive.check(filled.count() == state.full.size() && alike.count() == state.full.size(), kWrong);
}

void Ftl::check_under_way(const Archive& archive, const UnderWay& others) const {
  Places programs(archive, p2l_.size(), "a flash page is programmed twice");
  std::vector<std::uint64_t> in_flight(shape_.luns);
  for (const PhysicalPage at : others.programs) {
    archive.check(at.value() % shape_.parts() == 0, "a part of a flash page is programmed");
    programs.take(static_cast<std::uint64_t>(at.value()));
    const std::uint32_t lun = lun_of(at);
    const Block& block = blocks_[block_index(lun, block_of(at))];
    const auto page = static_cast<std::uint32_t>(at.value() % shape_.pages);
    archive.check(block.state == State::open && page >= block.completed &&
                      page < allocated_pages(lun, block_of(at)),
                  "a flash page is programmed that is not allocated");
    in_flight[lun] += shape_.parts();
  }
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    archive.check(
        in_flight[lun] == luns_[lun].in_flight && others.claims[lun] == luns_[lun].claimed,
        "the count of flash pages under way is wrong");
    for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
      archive.check((blocks_[block_index(lun, number)].state == State::victim) ==
                        (others.victims[lun] == number),
                    "a flash block is cleaned by nobody");
    }
  }
}

void Ftl::check_programmed(const Archive& archive, const FlashArray& flash,
                           std::uint32_t lun) const {
  for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
    const State state = blocks_[block_index(lun, number)].state;
    const std::uint32_t written = written_pages(lun, number);
    const bool goes_on = state == State::free || (state == State::open && written < shape_.pages);
    archive.check(!goes_on || flash.programmed(lun, number) << shape_.part_bits == written,
                  "flash holds other pages than the map has allocated");
  }
}

void Ftl::check_media(const Archive& archive) const {
  for (std::size_t i = 0; i < p2l_.size(); ++i) {
    const PhysicalPage at(static_cast<std::int64_t>(i));
    const FlashMedia::Spare spare = media_->spare(at);
    const Block& block = blocks_[block_index(lun_of(at), block_of(at))];
    const std::uint32_t page = static_cast<std::uint32_t>(i % shape_.pages);
    const bool kept = block.state != State::free && block.state != State::bad;
    // Of a failing block some pages are never programmed.
    archive.check(block.failing || spare.programmed == (kept && page < block.completed),
                  "flash media and the map do not agree");
    archive.check(
        !spare.whole || spare.page == FlashMedia::kPadding || index(spare.page) < l2p_.size(),
        "flash media hold a page that is none");
    const auto held = owner(at);
    archive.check(!held || (spare.whole && spare.page == *held),
                  "flash media and the map do not agree");
  }
}

}  // namespace hmsim
