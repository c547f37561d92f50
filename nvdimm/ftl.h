// SPDX-License-Identifier: BSD-3-Clause
// The flash translation layer: a page-level map and the state of every block, without time. Who
// drives it (flash operations, or a precondition run) decides when things happen.
//
// A page is written in two steps: allocate() takes the next page of a LUN's open block, commit()
// maps it once its data are safe. In between it is neither free nor valid. Pages of a block are
// allocated, and must be committed, in order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/key_map.h"
#include "nvdimm/parameters.h"
#include "nvdimm/zeroed_array.h"

namespace hmsim {

inline constexpr std::uint32_t kFrontiers = 2;    // blocks of a LUN that may be open
inline constexpr std::int64_t kFewestBlocks = 8;  // a LUN must have
inline constexpr PhysicalPage kNowhere{-1};       // the place of a never-written page

// What the FTL is made for; fractions already turned into whole blocks and pages.
struct FtlShape {
  std::uint32_t luns = 1;
  std::uint32_t blocks = 0;  // a LUN
  std::uint32_t pages = 0;   // a block
  std::uint64_t logical_pages = 0;
  std::uint32_t gc_threshold = 2;  // free blocks of a LUN below which collection is due; >= 2
  bool dynamic = true;
  bool shared_frontier = false;
  std::vector<std::uint32_t> stripe;  // LUNs in stripe order

  // Valid pages a LUN may hold. Then, whenever collection is due, some full block has an invalid
  // page: blocks - (gc_threshold - 1) - kFrontiers full blocks hold more pages than this.
  std::uint64_t valid_limit() const {
    return std::uint64_t{blocks - gc_threshold - kFrontiers} * pages;
  }
};

FtlShape ftl_shape(const NvdimmParameters& parameters);

class Ftl {
 public:
  enum class Stream : std::uint8_t { host, collection };

  // Pages of one LUN. unsettled: allocated, and not yet committed.
  struct Census {
    std::uint64_t free = 0;
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t unsettled = 0;
  };

  explicit Ftl(FtlShape shape);

  const FtlShape& shape() const { return shape_; }

  PhysicalPage place(LogicalPage page) const {
    return PhysicalPage(std::int64_t{l2p_[index(page)]} - 1);
  }
  std::uint32_t lun_of(PhysicalPage place) const {
    return static_cast<std::uint32_t>(place.value() / shape_.pages / shape_.blocks);
  }
  // The LUN where the page is, or, never written, where its stripe would have put it.
  std::uint32_t read_lun(LogicalPage page) const {
    const PhysicalPage at = place(page);
    return at == kNowhere ? home(page) : lun_of(at);
  }
  std::uint32_t home(LogicalPage page) const { return shape_.stripe[index(page) % shape_.luns]; }

  // The LUN that is to program `page`. Static allocation: its home. Dynamic: the next one in stripe
  // order that is_idle and has room, or kNoIndex. The claim lasts until commit().
  template <class IsIdle>
  std::uint32_t claim(LogicalPage page, IsIdle is_idle) {
    if (!shape_.dynamic) {
      ++luns_[home(page)].claimed;
      return home(page);
    }
    for (std::uint32_t i = 0; i < shape_.luns; ++i) {
      const std::uint32_t step = (cursor_ + i) % shape_.luns;
      Lun& lun = luns_[shape_.stripe[step]];
      if (is_idle(shape_.stripe[step]) && lun.valid + lun.claimed < shape_.valid_limit()) {
        ++lun.claimed;
        cursor_ = (step + 1) % shape_.luns;
        return shape_.stripe[step];
      }
    }
    return kNoIndex;
  }

  PhysicalPage allocate(std::uint32_t lun, Stream stream);
  // The page claimed and allocated for the host holds `page`.
  void commit(LogicalPage page, PhysicalPage at);
  // `to` holds a copy of what `from` held for `page`. False: the page was written elsewhere in the
  // meantime; the copy is dropped and the map left alone.
  bool commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to);

  // Fewer blocks than the threshold are free, and some full block holds an invalid page.
  bool collection_due(std::uint32_t lun);
  // The full block with the fewest valid pages, among those the one that came to its number of
  // valid pages first. It stays readable until erase(). Only while collection is due.
  std::uint32_t take_victim(std::uint32_t lun);
  void erase(std::uint32_t lun, std::uint32_t block);

  PhysicalPage page_at(std::uint32_t lun, std::uint32_t block, std::uint32_t page) const {
    return PhysicalPage((std::int64_t{lun} * shape_.blocks + block) * shape_.pages + page);
  }
  // Whose valid data the physical page holds.
  std::optional<LogicalPage> owner(PhysicalPage at) const;
  std::uint32_t valid_pages(std::uint32_t lun, std::uint32_t block) const {
    return blocks_[block_index(lun, block)].valid;
  }
  std::uint32_t free_blocks(std::uint32_t lun) const {
    return static_cast<std::uint32_t>(luns_[lun].free.size());
  }
  std::uint32_t erases(std::uint32_t lun, std::uint32_t block) const {
    return blocks_[block_index(lun, block)].erases;
  }

  // Counted afresh from the map; raises a fault when it contradicts the running counts.
  Census census(std::uint32_t lun) const;

  void serialize(Archive& archive);

 private:
  enum class State : std::uint8_t { free, open, full, victim };

  struct Block {
    std::uint32_t erases = 0;
    std::uint32_t previous = kNoIndex;  // among full blocks of the LUN with as many valid pages
    std::uint32_t next = kNoIndex;
    std::uint16_t valid = 0;
    std::uint16_t settled = 0;  // pages committed, or dropped
    State state = State::free;

    void serialize(Archive& archive) { archive(erases, settled, state); }
  };

  struct Bucket {
    std::uint32_t first = kNoIndex;
    std::uint32_t last = kNoIndex;
  };

  struct Frontier {
    std::uint32_t block = kNoIndex;
    std::uint32_t next_page = 0;

    void serialize(Archive& archive) { archive(block, next_page); }
  };

  struct Lun {
    // Heap of (erases << 32 | block): the least worn block is used next (dynamic wear levelling).
    std::vector<std::uint64_t> free;
    std::array<Frontier, kFrontiers> frontiers;
    std::vector<Bucket> buckets;  // of full blocks, by valid pages
    std::uint32_t fewest = 0;     // no lower bucket holds a block
    std::uint64_t valid = 0;
    std::uint64_t claimed = 0;
  };

  static std::size_t index(LogicalPage page) { return static_cast<std::size_t>(page.value()); }
  static std::size_t index(PhysicalPage at) { return static_cast<std::size_t>(at.value()); }
  std::size_t block_index(std::uint32_t lun, std::uint32_t block) const {
    return std::size_t{lun} * shape_.blocks + block;
  }
  std::uint32_t block_of(PhysicalPage at) const {
    return static_cast<std::uint32_t>(at.value() / shape_.pages % shape_.blocks);
  }

  void map(LogicalPage page, PhysicalPage at);
  void invalidate(PhysicalPage at);
  void settle(PhysicalPage at);
  void link(std::uint32_t lun, std::uint32_t block);
  void unlink(std::uint32_t lun, std::uint32_t block);
  void serialize_map(Archive& archive);
  void serialize_lun(Archive& archive, std::uint32_t lun);

  FtlShape shape_;
  // Page numbers plus one, 0 for none. p2l_ is only a hint: an entry counts while l2p_ agrees.
  ZeroedArray l2p_;
  ZeroedArray p2l_;
  std::vector<Block> blocks_;
  std::vector<Lun> luns_;
  std::uint32_t cursor_ = 0;  // dynamic allocation: the next place in the stripe
};

}  // namespace hmsim
