// SPDX-License-Identifier: BSD-3-Clause
// The flash translation layer: a page-level map and the state of every block, without time. Its
// user (flash operations, or a precondition run) decides when things happen.
//
// The parts each own one thing: PageMap where pages are, LunBlocks the state of blocks, Frontiers
// where pages are written next, Claims which LUN writes them, Victims what is collected. The Ftl
// itself changes several of them together, and the media with them in data mode.
//
// What the map tells apart are the parts of flash pages: each holds one logical page, and a block's
// pages are all its parts. They are written a flash page at a time, in two steps: allocate() takes
// the next flash page of a LUN's open block, commit() maps each of its parts once their data are
// safe, and pad() those that hold nothing. In between they are neither free nor valid. Pages of a
// block are allocated, and must be committed, in order.
//
// With a cached map the map's own pages, translation pages, are written like the host's, to blocks
// of their own; map() knows which entries are cached. A translation page fills a flash page. Its
// parts are written together, and stay together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/claims.h"
#include "nvdimm/ftl/frontiers.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/ftl_statistics.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/ftl/page_map.h"
#include "nvdimm/ftl/victims.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

class Ftl {
 public:
  // Without a selector: greedy. `seed`: of what selectors draw, and of factory-bad blocks.
  explicit Ftl(FtlShape shape, std::unique_ptr<VictimSelector> selector = nullptr,
               std::uint64_t seed = 0);
  Ftl(const Ftl&) = delete;  // the parts refer to the shape and to each other
  Ftl& operator=(const Ftl&) = delete;

  const FtlShape& shape() const { return shape_; }
  FtlStatistics& statistics() { return statistics_; }
  const PageMap& pages() const { return pages_; }
  const LunBlocks& blocks(std::uint32_t lun) const { return luns_[lun]; }
  const Frontiers& frontiers() const { return frontiers_; }
  Claims& claims() { return claims_; }
  Victims& victims() { return victims_; }
  // Which entries of the map are cached; nullptr: all. commit(), commit_copy() and trim() report
  // each change to it.
  MapCache* map() { return map_.get(); }

  // The first part of the flash page to program next. `sources`: flash pages that are read for it,
  // in data mode without time.
  PhysicalPage allocate(std::uint32_t lun, WriteStream stream, std::uint32_t sources = 0);
  // The page claimed and allocated for the host holds `page`.
  void commit(LogicalPage page, PhysicalPage at);
  // The same, but the page was discarded in the meantime.
  void commit_discarded(LogicalPage page, PhysicalPage at);
  // commit() of a translation page, all parts; data mode: with its entries as they are now.
  void commit_map(std::uint32_t translation_page, PhysicalPage at);
  // `to` holds a copy of what `from` held for `page`. False: the page was written elsewhere in the
  // meantime; the copy is dropped and the map left alone.
  bool commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to);
  // This part holds nothing, nor does any after it in the flash page.
  void pad(PhysicalPage at);
  // The page has no data any more. False: it had none.
  bool trim(LogicalPage page);

  // The victim is free again; a failing one is bad from now on.
  void erase(std::uint32_t lun, std::uint32_t block);
  // The victim could not be erased: it is bad from now on.
  void retire(std::uint32_t lun, std::uint32_t block);
  // A flash page that was allocated could not be programmed. Its block takes no more pages and is
  // to be collected, then retired; so many claims are given back.
  void fail(PhysicalPage at, std::uint32_t claims);

  // Data mode: where every change is recorded; must outlive the FTL, and hold what this one does.
  void set_media(FlashMedia* media);
  // Takes the whole state from the media alone (rebuild.h).
  void rebuild();

  void serialize(Archive& archive);  // but for the statistics

 private:
  void write(LogicalPage page, PhysicalPage at);
  void put(LogicalPage page, PhysicalPage at);
  // The program of a page is over: it was committed, or dropped.
  void complete(PhysicalPage at);
  // In debug builds: every page of the LUN is free, in flight, valid or invalid.
  void check_pages(std::uint32_t lun) const;

  const FtlShape shape_;
  FtlStatistics statistics_;
  std::unique_ptr<MapCache> map_;
  FlashMedia* media_ = nullptr;
  std::uint64_t version_ = 0;  // of the page that was written last
  PageMap pages_;
  std::vector<LunBlocks> luns_;
  Frontiers frontiers_;
  Claims claims_;
  Victims victims_;
};

}  // namespace hmsim
