// SPDX-License-Identifier: BSD-3-Clause
// The write points of all LUNs: which open block each stream of writes fills, and up to where.
//
// Invariant: a write point with pages left names an open block, which no other write point with
// pages left names. One without pages left may name any block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/lun_blocks.h"

namespace hmsim {

// Pages moved by wear levelling never go with the host's, and begin the most worn free block.
enum class WriteStream : std::uint8_t { host, collection, levelling, translation };

// Returns the write stream of a copy that a collection or wear levelling makes.
inline WriteStream copy_stream(const FtlShape& shape, LogicalPage page, bool levelling) {
  return shape.is_map_page(page) ? WriteStream::translation
         : levelling             ? WriteStream::levelling
                                 : WriteStream::collection;
}

class Frontiers {
 public:
  // `shape` and `luns` outlive the object.
  Frontiers(const FtlShape& shape, std::vector<LunBlocks>& luns)
      : shape_(shape), luns_(luns), points_(shape.luns) {}

  // The first part of the flash page that the stream programs next; opens a block if it must.
  PhysicalPage take(std::uint32_t lun, WriteStream stream);
  // Returns what take() would return; kNowhere if it had to open a block.
  PhysicalPage next_place(std::uint32_t lun, WriteStream stream) const;
  // Pages of the block that were taken, from its first on.
  std::uint32_t written_pages(std::uint32_t lun, std::uint32_t block) const;
  // Pages that can be programmed on the LUN without collection.
  std::uint64_t free_pages(std::uint32_t lun) const;

  // No more pages of the block are taken. Returns how many were; the block's size if it is full.
  std::uint32_t give_up(std::uint32_t lun, std::uint32_t block);
  // Continues the block after so many pages. `map`: its first page is a translation page.
  void reopen(std::uint32_t lun, std::uint32_t block, std::uint32_t pages, bool map);
  void clear() { points_.assign(shape_.luns, {}); }

  void serialize(Archive& archive, std::uint32_t lun);

 private:
  struct Point {
    std::uint32_t block = kNoIndex;
    std::uint32_t next_page = 0;

    void serialize(Archive& archive) { archive(block, next_page); }
  };

  bool spent(const Point& point) const {
    return point.block == kNoIndex || point.next_page == shape_.pages;
  }
  std::size_t point_of(WriteStream stream) const {
    if (stream == WriteStream::translation) {
      return 2;
    }
    return stream == WriteStream::levelling ||
                   (stream == WriteStream::collection && !shape_.shared_frontier)
               ? 1
               : 0;
  }

  const FtlShape& shape_;
  std::vector<LunBlocks>& luns_;
  std::vector<std::array<Point, kFrontiers>> points_;  // by LUN
};

}  // namespace hmsim
