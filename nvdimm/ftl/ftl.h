// SPDX-License-Identifier: BSD-3-Clause
// The flash translation layer: a page-level map and the state of every block, without time. Who
// drives it (flash operations, or a precondition run) decides when things happen.
//
// With a cached map the map's own pages, translation pages, are written like the host's, to blocks
// of their own, under numbers behind the logical pages; map() knows which entries are cached.
//
// What the map tells apart are the parts of flash pages: each holds one logical page, and a block's
// pages are all its parts. They are written a flash page at a time, in two steps: allocate() takes
// the next flash page of a LUN's open block, commit() maps each of its parts once their data are
// safe, and pad() those that hold nothing. In between they are neither free nor valid. Pages of a
// block are allocated, and must be committed, in order.
//
// A translation page fills a flash page. Its parts are written together, and stay together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/random.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/ftl_statistics.h"
#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/ftl/zeroed_array.h"
#include "nvdimm/nand/flash_media.h"
#include "policies/policy.h"

namespace hmsim {

// `assignments`: the configuration's; the selector's own parameters are taken from them.
std::unique_ptr<VictimSelector> victim_selector(const std::string& name,
                                                const Assignments& assignments);

class Ftl {
 public:
  // Pages moved by wear levelling never go with the host's, and begin the most worn free block.
  enum class Stream : std::uint8_t { host, collection, levelling, translation };

  // Pages of one LUN. in_flight: allocated, and not yet committed. invalid: padding, too.
  struct Census {
    std::uint64_t free = 0;
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t in_flight = 0;
  };

  // Without a selector: greedy. `seed`: of what selectors draw.
  explicit Ftl(FtlShape shape, std::unique_ptr<VictimSelector> selector = nullptr,
               std::uint64_t seed = 0);

  const FtlShape& shape() const { return shape_; }
  FtlStatistics& statistics() { return statistics_; }

  // Which entries of the map are cached; nullptr: all. What commit(), commit_copy() and trim()
  // change is told to it.
  MapCache* map() { return map_.get(); }
  void forget_map_counts() {
    if (map_ != nullptr) {
      map_->counts() = MapCounts();
    }
  }
  // The first of the numbers that its parts have.
  LogicalPage map_page(std::uint32_t translation_page) const {
    return LogicalPage(static_cast<std::int64_t>(
        shape_.logical_pages + (std::uint64_t{translation_page} << shape_.part_bits)));
  }
  bool is_map_page(LogicalPage page) const { return index(page) >= shape_.logical_pages; }
  // Where a copy of the page goes that a collection, or wear levelling, makes.
  Stream stream_of(LogicalPage page, bool levelling) const {
    return is_map_page(page) ? Stream::translation
           : levelling       ? Stream::levelling
                             : Stream::collection;
  }

  std::size_t pages() const { return l2p_.size(); }  // logical ones, and parts of translation pages
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
  bool same_flash_page(PhysicalPage a, PhysicalPage b) const {
    return a.value() >> shape_.part_bits == b.value() >> shape_.part_bits;
  }
  std::uint32_t home(LogicalPage page) const {
    return shape_.stripe[(index(page) >> shape_.part_bits) % shape_.stripe.size()];
  }
  // Where the page is, or, never written, some place for it on its home LUN.
  PhysicalPage read_place(LogicalPage page) const {
    const PhysicalPage at = place(page);
    const std::uint64_t pages = std::uint64_t{shape_.blocks} * shape_.pages;
    return at != kNowhere ? at
                          : PhysicalPage(static_cast<std::int64_t>(home(page) * pages +
                                                                   place_at_home(page) % pages));
  }

  // The LUN that is to program `page`, and others of the same home, `count` in all. Static
  // allocation: that home. Dynamic: the next one in stripe order that is_idle and has room, or
  // kNoIndex. A page's claim lasts until commit().
  template <class IsIdle>
  std::uint32_t claim(LogicalPage page, IsIdle is_idle, std::uint32_t count = 1) {
    if (!shape_.dynamic) {
      luns_[home(page)].claimed += count;
      return home(page);
    }
    const auto steps = static_cast<std::uint32_t>(shape_.stripe.size());
    for (std::uint32_t i = 0; i < steps; ++i) {
      const std::uint32_t step = (cursor_ + i) % steps;
      Lun& lun = luns_[shape_.stripe[step]];
      if (is_idle(shape_.stripe[step]) &&
          lun.valid + lun.claimed + count <= shape_.valid_limit(lun.bad)) {
        lun.claimed += count;
        cursor_ = (step + 1) % steps;
        return shape_.stripe[step];
      }
    }
    return kNoIndex;
  }

  // As claim(), on any LUN. One must have room.
  std::uint32_t claim_any(LogicalPage page, std::uint32_t count);

  // Whether a LUN with room is_idle.
  template <class IsIdle>
  bool any_idle(IsIdle is_idle) const {
    for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
      if (is_idle(lun) && has_room(lun)) {
        return true;
      }
    }
    return false;
  }

  // The first part of the flash page to program next. `sources`: flash pages that are read for it,
  // in data mode without time.
  PhysicalPage allocate(std::uint32_t lun, Stream stream, std::uint32_t sources = 0);
  // What allocate() would return; kNowhere if it had to open a block.
  PhysicalPage next_place(std::uint32_t lun, Stream stream) const;
  // The page claimed and allocated for the host holds `page`.
  void commit(LogicalPage page, PhysicalPage at);
  // This part holds nothing, nor does any behind it in the flash page.
  void pad(PhysicalPage at);
  // commit() of a translation page, all parts; data mode: with its entries as they are now.
  void commit_map(std::uint32_t translation_page, PhysicalPage at);
  // The same as commit(), but the page was discarded in the meantime.
  void commit_discarded(LogicalPage page, PhysicalPage at);
  // The page has no data any more. False: it had none.
  bool trim(LogicalPage page);
  // `to` holds a copy of what `from` held for `page`. False: the page was written elsewhere in the
  // meantime; the copy is dropped and the map left alone.
  bool commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to);

  // Some full block is worth collecting; a failing one is, as the page that failed holds nothing.
  bool collectable(std::uint32_t lun) { return fewest_valid(lun) <= shape_.worth_collecting(); }
  // Besides, fewer blocks than the threshold are free, or a block is failing.
  bool collection_due(std::uint32_t lun) {
    return (luns_[lun].free.size() < shape_.gc_threshold || luns_[lun].failing > 0) &&
           collectable(lun);
  }
  bool collection_urgent(std::uint32_t lun) const {
    return luns_[lun].free.size() < shape_.urgent_limit;
  }
  // Collection is due, and the next block that is opened would be one too many: nothing else may be
  // written first. So even a selector that takes blocks without invalid pages comes to an end.
  bool collection_pressing(std::uint32_t lun) {
    return luns_[lun].free.size() + 1 < shape_.gc_threshold && collection_due(lun);
  }
  // The first failing block, if there is one; the selector's choice, or with no block free at all
  // the one with the fewest valid pages. It stays readable until erase(). Only while collectable().
  std::uint32_t take_victim(std::uint32_t lun);
  // Static wear levelling: the least worn full block, if the most worn block of the LUN has been
  // erased more than wear_gap times more often; as a victim. Looks at every full block, but only
  // while the gap is that large.
  std::optional<std::uint32_t> take_coldest(std::uint32_t lun);
  // The victim is free again; a failing one is bad from now on.
  void erase(std::uint32_t lun, std::uint32_t block);

  // The victim could not be erased: it is bad from now on.
  void retire(std::uint32_t lun, std::uint32_t block);
  // A flash page that was allocated could not be programmed. Its block takes no more pages and is
  // to be collected, then retired; so many claims are given back.
  void fail(PhysicalPage at, std::uint32_t claims);
  bool bad(std::uint32_t lun, std::uint32_t block) const {
    return blocks_[block_index(lun, block)].state == State::bad;
  }
  std::uint64_t bad_blocks() const;  // in all

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
  // Pages of the block that are allocated, from its first on.
  std::uint32_t written_pages(std::uint32_t lun, std::uint32_t block) const;
  std::uint32_t erases(std::uint32_t lun, std::uint32_t block) const {
    return blocks_[block_index(lun, block)].erases;
  }
  std::uint32_t erases(PhysicalPage at) const { return erases(lun_of(at), block_of(at)); }

  // Data mode: where every change is recorded; must outlive the FTL, and hold what this one does.
  void set_media(FlashMedia* media);
  // The whole state, from the media alone: of each page the newest whole copy counts. Operations
  // that were under way are forgotten; partly written blocks are written on.
  void rebuild();
  // Pages that can be programmed on the LUN without collection.
  std::uint64_t free_pages(std::uint32_t lun) const;
  // As claim(), whatever the allocation says.
  void claim_on(std::uint32_t lun, std::uint32_t count) { luns_[lun].claimed += count; }
  bool has_room(std::uint32_t lun, std::uint32_t count = 1) const {
    return luns_[lun].valid + luns_[lun].claimed + count <= shape_.valid_limit(luns_[lun].bad);
  }

  // Counted afresh from the map; raises a fault when it contradicts the running counts.
  Census census(std::uint32_t lun) const;

  void serialize(Archive& archive);  // but for the statistics

  // Loading: there is such a place; a flash page begins there.
  void check_place(const Archive& archive, PhysicalPage at) const {
    archive.check_index(at.value(), p2l_.size(), "a flash page does not exist");
  }
  void check_flash_page(const Archive& archive, PhysicalPage at) const {
    check_place(archive, at);
    archive.check(at.value() % shape_.parts() == 0, "a flash page begins elsewhere");
  }

 private:
  friend struct NvdimmFaults;  // tests break things through it

  enum class State : std::uint8_t { free, open, full, victim, bad, last = bad };
  static constexpr std::uint32_t kMostErases = 1u << 22;  // of a block: far beyond its endurance

  struct Block {
    SlotLink alike;  // among full blocks of the LUN with as many valid pages, by `changed`
    SlotLink age;    // among full blocks of the LUN, in the order in which they were filled
    std::uint64_t changed = 0;  // Lun::written when it was filled or last lost a valid page
    std::uint32_t erases = 0;
    std::uint32_t slot = 0;  // in Lun::full
    std::uint32_t valid = 0;
    std::uint32_t completed = 0;  // pages committed, or dropped
    std::uint32_t end = 0;        // pages that will be; then the block is full
    State state = State::free;
    bool failing = false;  // to be retired

    void serialize(Archive& archive) {
      archive(changed, erases, completed, end, state, failing);
      archive.check(erases <= kMostErases, "a flash block is worn beyond reason");
    }
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
    std::vector<std::uint32_t> full;  // blocks, in no order
    std::vector<SlotList> buckets;    // of full blocks, by valid pages
    SlotList filled;                  // full blocks, oldest first
    std::uint32_t fewest = 0;         // no lower bucket holds a block
    std::vector<std::uint32_t> worn;  // blocks, by erases
    std::uint32_t least_worn = 0;     // erases
    std::uint64_t written = 0;        // pages committed, or dropped
    std::uint64_t in_flight = 0;      // pages allocated, and not yet committed
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t claimed = 0;
    std::uint32_t bad = 0;      // blocks
    std::uint32_t failing = 0;  // full blocks that are to be retired
  };

  // What a selector sees of a LUN.
  class View;

  // Among pages of its home that were written in order.
  std::uint64_t place_at_home(LogicalPage page) const {
    const std::uint64_t of_flash = index(page) >> shape_.part_bits;
    return (of_flash / shape_.luns << shape_.part_bits) + index(page) % shape_.parts();
  }
  static std::size_t index(LogicalPage page) { return static_cast<std::size_t>(page.value()); }
  static std::size_t index(PhysicalPage at) { return static_cast<std::size_t>(at.value()); }
  std::size_t block_index(std::uint32_t lun, std::uint32_t block) const {
    return std::size_t{lun} * shape_.blocks + block;
  }
  std::uint32_t block_of(PhysicalPage at) const {
    return static_cast<std::uint32_t>(at.value() / shape_.pages % shape_.blocks);
  }

  void map(LogicalPage page, PhysicalPage at);
  void tell_map(LogicalPage page) {
    if (map_ != nullptr && !is_map_page(page)) {
      map_->changed(page);
    }
  }
  void invalidate(PhysicalPage at);
  // The program of a page is over: it was committed, or dropped.
  void complete(PhysicalPage at);
  bool spent(const Frontier& frontier) const {
    return frontier.block == kNoIndex || frontier.next_page == shape_.pages;
  }
  std::size_t frontier_of(Stream stream) const {
    if (stream == Stream::translation) {
      return 2;
    }
    return stream == Stream::levelling || (stream == Stream::collection && !shape_.shared_frontier)
               ? 1
               : 0;
  }
  void open(std::uint32_t lun, Frontier& frontier, Stream stream);
  // Of the LUN's blocks.
  auto links(std::uint32_t lun, SlotLink Block::*link) {
    return links_of(blocks_.data() + block_index(lun, 0), link);
  }
  auto links(std::uint32_t lun, SlotLink Block::*link) const {
    return links_of(blocks_.data() + block_index(lun, 0), link);
  }
  void enter_bucket(std::uint32_t lun, std::uint32_t block);
  void leave_bucket(std::uint32_t lun, std::uint32_t block);
  void enter_full(std::uint32_t lun, std::uint32_t block);
  void make_victim(std::uint32_t lun, std::uint32_t block);
  std::uint32_t fewest_valid(std::uint32_t lun);
  void count_wear();
  void count_wear(std::uint32_t lun);
  void check_room(std::uint32_t lun) const;
  void mark_factory_bad(std::uint64_t seed);
  void require_page(std::uint32_t lun, bool there_is_one) const;
  // In debug builds: every page of the LUN is free, in flight, valid or invalid.
  void check_pages(std::uint32_t lun) const;
  void rebuild_map();
  void rebuild_cache();
  Frontier& reopened(std::uint32_t lun, std::uint32_t block);
  // Calls with each page of a translation page, in which part and where there its entry begins, and
  // what it says: where the page is, plus one; 0: nowhere.
  template <class Call>
  void for_entries(std::uint32_t translation_page, Call call) const {
    const std::uint64_t first = translation_page * shape_.page_entries();
    const std::uint64_t end = first + shape_.page_entries() < shape_.logical_pages
                                  ? first + shape_.page_entries()
                                  : shape_.logical_pages;
    for (std::uint64_t page = first; page < end; ++page) {
      const std::uint64_t entry = (page - first) % shape_.map_entries;
      call(LogicalPage(static_cast<std::int64_t>(page)),
           static_cast<std::uint32_t>((page - first) / shape_.map_entries),
           static_cast<std::size_t>(entry * sizeof(PageBytes) / shape_.map_entries), l2p_[page]);
    }
  }
  void rebuild_lun(std::uint32_t lun);
  void serialize_map(Archive& archive);
  void count_valid(const Archive& archive);
  void serialize_lun(Archive& archive, std::uint32_t lun);
  std::vector<std::uint32_t> serialize_order(Archive& archive, std::uint32_t lun,
                                             const std::vector<std::uint32_t>& blocks);
  void list_blocks(std::uint32_t lun, const std::vector<std::uint32_t>& full,
                   const std::vector<std::uint32_t>& filled,
                   const std::vector<std::uint32_t>& alike);

  FtlShape shape_;
  FtlStatistics statistics_;
  std::unique_ptr<MapCache> map_;
  std::unique_ptr<VictimSelector> selector_;
  Random random_;  // the selector's
  FlashMedia* media_ = nullptr;
  std::uint64_t version_ = 0;  // of the page that was written last
  // Page numbers plus one, 0 for none. p2l_ is only a hint: an entry counts while l2p_ agrees.
  ZeroedArray l2p_;
  ZeroedArray p2l_;
  std::vector<Block> blocks_;
  std::vector<Lun> luns_;
  std::uint32_t cursor_ = 0;  // dynamic allocation: the next place in the stripe
};

}  // namespace hmsim
