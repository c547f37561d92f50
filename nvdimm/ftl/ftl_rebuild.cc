// SPDX-License-Identifier: BSD-3-Clause
// The FTL's state from what the flash cells hold.
#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {

namespace {

constexpr PageBytes kNoEntries{};

std::uint32_t entry_at(const PageBytes& bytes, std::size_t byte) {
  std::uint32_t entry = 0;
  for (std::size_t i = 0; i < sizeof entry; ++i) {
    entry |= std::uint32_t{bytes[byte + i]} << (8 * i);
  }
  return entry;
}

}  // namespace

void Ftl::rebuild() {
  ensure(media_ != nullptr, "ftl", Tick(0), -1, "there are no media to rebuild the map from");
  rebuild_map();
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    rebuild_lun(lun);
  }
  count_wear();
  cursor_ = 0;
  if (map_ != nullptr) {
    rebuild_cache();
  }
}

// Entries that differ from what their translation pages say are dirty again.
void Ftl::rebuild_cache() {
  map_->clear();
  for (std::uint32_t number = 0; number < shape_.map_pages(); ++number) {
    for_entries(number, [this, number](LogicalPage page, std::uint32_t part, std::size_t byte,
                                       std::uint32_t entry) {
      const PhysicalPage at = place(map_page(number) + LogicalPage(part));
      const PageBytes& then = at == kNowhere ? kNoEntries : media_->bytes(at);
      if (entry != entry_at(then, byte)) {
        map_->changed(page);
      }
    });
  }
}

void Ftl::commit_map(std::uint32_t translation_page, PhysicalPage at) {
  for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
    commit(map_page(translation_page) + LogicalPage(part), at + PhysicalPage(part));
  }
  if (media_ != nullptr) {
    std::array<PageBytes, kMostParts> bytes{};
    for_entries(translation_page, [&bytes](LogicalPage /*page*/, std::uint32_t part,
                                           std::size_t byte, std::uint32_t entry) {
      for (std::size_t i = 0; i < sizeof entry; ++i) {
        bytes[part][byte + i] = static_cast<std::uint8_t>(entry >> (8 * i));
      }
    });
    for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
      media_->store(at + PhysicalPage(part), bytes[part]);
    }
  }
}

// A frontier for a partly written block: the one for what its first page is, if that is free.
Ftl::Frontier& Ftl::reopened(std::uint32_t lun, std::uint32_t block) {
  const FlashMedia::Spare spare = media_->spare(page_at(lun, block, 0));
  std::array<Frontier, kFrontiers>& frontiers = luns_[lun].frontiers;
  Frontier& last = frontiers.back();
  if (map_ != nullptr && is_map_page(spare.page) && last.block == kNoIndex) {
    return last;
  }
  const auto free = std::find_if(frontiers.begin(), frontiers.end(), [](const Frontier& frontier) {
    return frontier.block == kNoIndex;
  });
  ensure(free != frontiers.end(), "ftl", Tick(0), block, "too many blocks are partly written");
  return *free;
}

void Ftl::rebuild_map() {
  l2p_ = ZeroedArray(l2p_.size());
  p2l_ = ZeroedArray(p2l_.size());
  version_ = media_->newest_discard();
  for (std::size_t i = 0; i < p2l_.size(); ++i) {
    const PhysicalPage at(static_cast<std::int64_t>(i));
    const FlashMedia::Spare spare = media_->spare(at);
    if (!spare.whole || index(spare.page) >= l2p_.size()) {  // torn, or padding
      continue;
    }
    version_ = std::max(version_, spare.version);
    if (spare.version <= media_->discarded(spare.page)) {
      continue;
    }
    const PhysicalPage other = place(spare.page);
    if (other == kNowhere || media_->spare(other).version < spare.version) {
      l2p_[index(spare.page)] = static_cast<std::uint32_t>(i + 1);
    }
  }
  for (std::size_t i = 0; i < l2p_.size(); ++i) {
    if (l2p_[i] != 0) {
      p2l_[l2p_[i] - 1] = static_cast<std::uint32_t>(i + 1);
    }
  }
}

void Ftl::rebuild_lun(std::uint32_t lun) {
  Lun& state = luns_[lun];
  const std::size_t buckets = state.buckets.size();
  state = Lun();
  state.buckets.resize(buckets);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> full;  // by the newest page
  for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
    Block& block = blocks_[block_index(lun, number)];
    block = Block();
    block.end = shape_.pages;
    block.erases = media_->erases(block_index(lun, number));
    std::uint64_t newest = 0;
    for (std::uint32_t page = 0; page < shape_.pages; ++page) {
      const PhysicalPage at = page_at(lun, number, page);
      const FlashMedia::Spare spare = media_->spare(at);
      block.completed =
          spare.programmed ? (page / shape_.parts() + 1) * shape_.parts() : block.completed;
      newest = std::max(newest, spare.version);
      block.valid += owner(at) ? 1 : 0;
    }
    if (media_->bad(block_index(lun, number))) {
      if (block.valid == 0) {
        block.state = State::bad;
        ++state.bad;
        continue;
      }
      block.failing = true;
      block.completed = block.end;
    }
    state.valid += block.valid;
    state.invalid += block.completed - block.valid;
    if (block.completed == 0) {
      state.free.push_back(std::uint64_t{block.erases} << 32 | number);
    } else if (block.completed == shape_.pages) {
      full.emplace_back(newest, number);
    } else {
      block.state = State::open;
      reopened(lun, number) = {number, block.completed};
    }
  }
  std::make_heap(state.free.begin(), state.free.end(), std::greater<>());
  std::sort(full.begin(), full.end());
  for (const auto& entry : full) {
    enter_full(lun, entry.second);
  }
}

std::uint64_t Ftl::free_pages(std::uint32_t lun) const {
  std::uint64_t pages = luns_[lun].free.size() * shape_.pages;
  for (const Frontier& frontier : luns_[lun].frontiers) {
    pages += frontier.block == kNoIndex ? 0 : shape_.pages - frontier.next_page;
  }
  return pages;
}

}  // namespace hmsim
