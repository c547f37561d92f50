// SPDX-License-Identifier: BSD-3-Clause
// Write points of all LUNs: the open block that each source of pages fills, and its next page. The
// host has one for each stream below FtlShape::streams, and one for the SLC cache if there is one.
//
// Invariant: a write point with pages left refers to an open block, and no other write point with
// pages left refers to the same block. A write point without pages left may refer to any block.
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

// Source of written pages. Pages moved by wear levelling never share a block with the host's, and
// start in the most worn free block.
// cached: the host's pages that go to the SLC cache while it has room, otherwise as host.
enum class WriteStream : std::uint8_t { host, collection, levelling, translation, cached };

// Returns the write stream of a copy that a collection or wear levelling makes.
inline WriteStream copy_stream(const FtlShape& shape, LogicalPage page, bool levelling) {
  return shape.is_map_page(page) ? WriteStream::translation
         : levelling             ? WriteStream::levelling
                                 : WriteStream::collection;
}

class Frontiers {
 public:
  // `shape` and `luns` must outlive the object.
  Frontiers(const FtlShape& shape, std::vector<LunBlocks>& luns)
      : shape_(shape),
        luns_(luns),
        points_(shape.luns),
        caches_(shape.cache_blocks == 0 ? 0 : shape.luns),
        streams_(std::size_t{shape.luns} * (shape.streams - 1)) {}

  // Takes the flash page that the source programs next and returns its first part. Opens a block if
  // necessary.
  PhysicalPage take(std::uint32_t lun, WriteStream source, std::uint32_t stream = 0);
  // Returns the page that take() would return next, or kNowhere if take() would open a block.
  PhysicalPage next_place(std::uint32_t lun, WriteStream source, std::uint32_t stream = 0) const;
  // Returns the pages of the block that were taken; these are its first ones.
  std::uint32_t written_pages(std::uint32_t lun, std::uint32_t block) const;
  // Returns the pages that can be programmed on the LUN without collection.
  std::uint64_t free_pages(std::uint32_t lun) const;

  // Stops taking pages of the block. Returns how many were taken; for a full block, its size.
  std::uint32_t give_up(std::uint32_t lun, std::uint32_t block);
  // Continues the block after its first `pages` pages. `source`: cached: it is in one-bit mode;
  // translation: its first page is a translation page.
  void reopen(std::uint32_t lun, std::uint32_t block, std::uint32_t pages, WriteStream source);
  void clear() {
    points_.assign(shape_.luns, {});
    caches_.assign(caches_.size(), {});
    streams_.assign(streams_.size(), {});
  }

  void serialize(Archive& archive, std::uint32_t lun);

 private:
  struct Point {
    std::uint32_t block = kNoIndex;
    std::uint32_t next_page = 0;

    void serialize(Archive& archive) { archive(block, next_page); }
  };

  // Returns whether a page for the host goes to the SLC cache now.
  bool caches(std::uint32_t lun, WriteStream source) const {
    return source == WriteStream::cached && !caches_.empty() &&
           (!spent(caches_[lun]) || luns_[lun].may_cache());
  }
  PhysicalPage take_cached(std::uint32_t lun);
  bool spent(const Point& point) const {
    return point.block == kNoIndex || point.next_page == shape_.pages;
  }
  std::size_t point_of(WriteStream source) const {
    if (source == WriteStream::translation) {
      return 2;
    }
    return source == WriteStream::levelling ||
                   (source == WriteStream::collection && !shape_.shared_frontier)
               ? 1
               : 0;
  }

  Point& point_of(std::uint32_t lun, WriteStream source, std::uint32_t stream) {
    return stream == 0 ? points_[lun][point_of(source)] : streams_[stream_of(lun, stream)];
  }
  // Returns an ordinary point with pages left, or nullptr.
  Point* any_point(std::uint32_t lun);
  // Returns the index in streams_ of the host's stream, which is not 0.
  std::size_t stream_of(std::uint32_t lun, std::uint32_t stream) const {
    return std::size_t{lun} * (shape_.streams - 1) + stream - 1;
  }
  // Calls see(point) for all points of the LUN but the SLC cache's.
  template <class Self, class See>
  static void for_blocks(Self& self, std::uint32_t lun, See see) {
    for (auto& point : self.points_[lun]) {
      see(point);
    }
    for (std::uint32_t stream = 1; stream < self.shape_.streams; ++stream) {
      see(self.streams_[self.stream_of(lun, stream)]);
    }
  }
  // Calls see(point) for all points of the LUN.
  template <class Self, class See>
  static void each(Self& self, std::uint32_t lun, See see) {
    for_blocks(self, lun, see);
    if (!self.caches_.empty()) {
      see(self.caches_[lun]);
    }
  }

  const FtlShape& shape_;
  std::vector<LunBlocks>& luns_;
  std::vector<std::array<Point, kFrontiers>> points_;  // by LUN
  std::vector<Point> caches_;   // of the SLC cache, by LUN; not of a block without pages left
  std::vector<Point> streams_;  // of the host's streams but the first, by LUN and stream
};

}  // namespace hmsim
