// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/rebuild.h"

#include <algorithm>
#include <utility>
#include <vector>

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

struct FoundBlock {
  FlashBlock block;
  std::uint64_t newest = 0;  // version of its newest page
};

FoundBlock find_block(const FlashMedia& media, const FtlShape& shape, std::uint32_t lun,
                      std::uint32_t number, const PageMap& pages) {
  const std::size_t index = shape.block_index(lun, number);
  FoundBlock found;
  FlashBlock& block = found.block;
  block.end = shape.pages;
  block.erases = media.erases(index);
  for (std::uint32_t page = 0; page < shape.pages; ++page) {
    const PhysicalPage at = shape.page_at(lun, number, page);
    const FlashMedia::Spare spare = media.spare(at);
    block.completed =
        spare.programmed ? (page / shape.parts() + 1) * shape.parts() : block.completed;
    found.newest = std::max(found.newest, spare.version);
    block.valid += pages.owner(at) ? 1 : 0;
  }
  if (media.bad(index) && block.valid == 0) {
    block.state = BlockState::bad;
  } else {
    block.failing = media.bad(index);
    block.completed = block.failing ? block.end : block.completed;
    block.state = block.completed == 0             ? BlockState::free
                  : block.completed == shape.pages ? BlockState::full
                                                   : BlockState::open;
    if (media.one_bit(index) && block.completed > 0) {
      block.stream = kCacheStream;
      block.end = shape.cache_pages;
      block.state = block.completed < block.end ? BlockState::open : BlockState::full;
      block.completed = block.completed < block.end ? block.completed : shape.pages;
    }
  }
  return found;
}

}  // namespace

std::uint64_t rebuild_map(const FlashMedia& media, const FtlShape& shape, PageMap& pages) {
  pages.clear();
  std::uint64_t newest = media.newest_discard();
  for (std::uint64_t i = 0; i < shape.places(); ++i) {
    const PhysicalPage at(static_cast<std::int64_t>(i));
    const FlashMedia::Spare spare = media.spare(at);
    if (!spare.whole ||
        static_cast<std::uint64_t>(spare.page.value()) >= pages.size()) {  // torn, or padding
      continue;
    }
    newest = std::max(newest, spare.version);
    if (spare.version <= media.discarded(spare.page)) {
      continue;
    }
    const PhysicalPage other = pages.place(spare.page);
    if (other == kNowhere || media.spare(other).version < spare.version) {
      pages.set(spare.page, at);
    }
  }
  return newest;
}

void rebuild_lun(const FlashMedia& media, const FtlShape& shape, std::uint32_t lun,
                 const PageMap& pages, LunBlocks& blocks, Frontiers& frontiers) {
  std::vector<FlashBlock> records;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> full;  // keyed by the newest page's version
  for (std::uint32_t number = 0; number < shape.blocks; ++number) {
    const FoundBlock found = find_block(media, shape, lun, number, pages);
    records.push_back(found.block);
    if (found.block.state == BlockState::full) {
      full.emplace_back(found.newest, number);
    } else if (found.block.state == BlockState::open) {
      const FlashMedia::Spare first = media.spare(shape.page_at(lun, number, 0));
      frontiers.reopen(lun, number, found.block.completed,
                       found.block.one_bit() ? WriteStream::cached
                       : shape.map_pages() > 0 && shape.is_map_page(first.page)
                           ? WriteStream::translation
                           : WriteStream::host);
    }
  }
  std::sort(full.begin(), full.end());
  std::vector<std::uint32_t> order;
  for (const auto& entry : full) {
    order.push_back(entry.second);
  }
  blocks.restore(records, order);
}

void rebuild_cache(const FlashMedia& media, const FtlShape& shape, const PageMap& pages,
                   MapCache& cache) {
  cache.clear();
  for (std::uint32_t number = 0; number < shape.map_pages(); ++number) {
    pages.for_entries(
        number, [&](LogicalPage page, std::uint32_t part, std::size_t byte, std::uint32_t entry) {
          const PhysicalPage at = pages.place(shape.map_page(number) + LogicalPage(part));
          const PageBytes& then = at == kNowhere ? kNoEntries : media.bytes(at);
          if (entry != entry_at(then, byte)) {
            cache.changed(page);
          }
        });
  }
}

}  // namespace hmsim
