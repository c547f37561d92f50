// SPDX-License-Identifier: BSD-3-Clause
// Flash translation layer: a page-level map and the state of every block, without timing. The
// caller (flash operations, or a precondition run) decides when things happen.
//
// Each part has one responsibility: PageMap holds the places of pages, LunBlocks the state of
// blocks, Frontiers the next pages to write, Claims the LUNs that write them, and Victims the
// blocks to collect. Ftl performs the changes that involve several parts, and the media in data
// mode.
//
// The map addresses parts of flash pages. Each part holds one logical page, and "pages of a block"
// means all its parts. A flash page is written in two steps. allocate() takes the next flash page
// of a LUN's open block. Then commit() maps each part once its data are safe, and pad() marks the
// parts without data. Between these steps the parts are neither free nor valid. Pages of a block
// are allocated in order and must be committed in order.
//
// With a cached map, the map itself is stored in translation pages, which are written like the
// host's pages but to separate blocks; map() holds the cached entries. A translation page fills a
// flash page. Its parts are written together and move together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/claims.h"
#include "nvdimm/ftl/frontiers.h"
#include "nvdimm/ftl/ftl_policies.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/ftl_statistics.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/ftl/page_map.h"
#include "nvdimm/ftl/placement.h"
#include "nvdimm/ftl/victims.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

class Ftl {
 public:
  // `seed`: for the policies' draws and the factory-bad blocks.
  explicit Ftl(FtlShape shape, FtlPolicies policies = {}, std::uint64_t seed = 0);
  Ftl(const Ftl&) = delete;  // the parts refer to the shape and to each other
  Ftl& operator=(const Ftl&) = delete;

  const FtlShape& shape() const { return shape_; }
  FtlStatistics& statistics() { return statistics_; }
  const FtlStatistics& statistics() const { return statistics_; }
  void reset_statistics();
  // Counts for its stream a program of `pages` pages of the host and `filler` others in the flash
  // page at `at`. count_copy(): a copy of a page, also for all streams.
  void count_program(PhysicalPage at, std::uint32_t pages, std::uint32_t filler);
  void count_copy(LogicalPage page, bool folded = false) {
    ++(folded ? statistics_.folded_pages : statistics_.gc_pages);
    if (placement_.active() && !shape_.is_map_page(page)) {
      placement_.count_copy(page);
    }
  }
  const PageMap& pages() const { return pages_; }
  const LunBlocks& blocks(std::uint32_t lun) const { return luns_[lun]; }
  const Frontiers& frontiers() const { return frontiers_; }
  Claims& claims() { return claims_; }
  Victims& victims() { return victims_; }
  Placement& placement() { return placement_; }
  const Placement& placement() const { return placement_; }
  // Returns whether the block is in one-bit mode: part of the SLC cache.
  bool one_bit(PhysicalPage at) const {
    return shape_.cache_blocks != 0 && luns_[shape_.lun_of(at)][shape_.block_of(at)].one_bit();
  }
  // Returns the cache of map entries; nullptr with a full map. commit(), commit_copy() and trim()
  // report every change to it.
  MapCache* map() { return map_.get(); }

  // Allocates the flash page to program next and returns its first part. `sources`: flash pages
  // that are read for it; used in data mode and takes no time. `stream`: of the host's pages, below
  // the shape's streams.
  PhysicalPage allocate(std::uint32_t lun, WriteStream source, std::uint32_t sources = 0,
                        std::uint32_t stream = 0);
  // Allocates for a copy that the placement assigned to the stream.
  PhysicalPage allocate_copy(std::uint32_t lun, LogicalPage page, std::uint32_t stream,
                             bool levelling, std::uint32_t sources = 0);
  // Returns the stream of a copy of the valid page at `from`.
  std::uint32_t stream_of_copy(LogicalPage page, PhysicalPage from) const;
  // Maps `page` to a part that was claimed and allocated for the host.
  void commit(LogicalPage page, PhysicalPage at);
  // The same for a page that was discarded in the meantime.
  void commit_discarded(LogicalPage page, PhysicalPage at);
  // Commits all parts of a translation page; in data mode, with its current entries.
  void commit_map(std::uint32_t translation_page, PhysicalPage at);
  // Maps `page` to `to`, a copy of `from`. Returns false if the page was written elsewhere in the
  // meantime; the copy is then dropped and the map unchanged.
  bool commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to);
  // Marks this part and all later parts of its flash page as padding.
  void pad(PhysicalPage at);
  // Unmaps the page. Returns false if it had no data.
  bool trim(LogicalPage page);

  // Frees an erased victim; a failing block becomes bad instead, if the shape retires blocks.
  void erase(std::uint32_t lun, std::uint32_t block);
  // Marks a victim that could not be erased as bad.
  void retire(std::uint32_t lun, std::uint32_t block);
  // Handles a failed program of an allocated flash page. Its block takes no more pages and will be
  // collected, then retired or reused. Further pages of the block may fail in any order. `claims`
  // claims are released.
  void fail(PhysicalPage at, std::uint32_t claims);

  // Data mode: records every change in `media`, which must outlive the FTL and match its contents.
  void set_media(FlashMedia* media);
  // Rebuilds the whole state from the media alone (rebuild.h).
  void rebuild();

  void serialize(Archive& archive);  // except the statistics
  void serialize_statistics(Archive& archive);

 private:
  void write(LogicalPage page, PhysicalPage at);
  void put(LogicalPage page, PhysicalPage at);
  // Returns the stream of the block; 0 if none of the host's opened it.
  std::uint32_t stream_at(PhysicalPage at) const {
    const std::uint32_t stream = luns_[shape_.lun_of(at)][shape_.block_of(at)].stream;
    return stream < shape_.streams ? stream : 0;
  }
  // Ends the program of a page that was committed or dropped.
  void complete(PhysicalPage at);
  // Checks in debug builds that every page of the LUN is free, in flight, valid or invalid.
  void check_pages(std::uint32_t lun) const;

  const FtlShape shape_;
  FtlStatistics statistics_;
  std::unique_ptr<MapCache> map_;
  FlashMedia* media_ = nullptr;
  std::uint64_t version_ = 0;  // of the latest write
  PageMap pages_;
  std::vector<LunBlocks> luns_;
  Frontiers frontiers_;
  Claims claims_;
  Victims victims_;
  Placement placement_;
};

}  // namespace hmsim
