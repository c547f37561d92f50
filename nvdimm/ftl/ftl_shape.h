// SPDX-License-Identifier: BSD-3-Clause
// Dimensions of a flash translation layer, and the space that it keeps free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_parameters.h"
#include "nvdimm/nand/nand_parameters.h"
#include "policies/map_replacement.h"

namespace hmsim {

inline constexpr std::uint32_t kFrontiers = 3;    // open blocks per LUN, at most; one host stream
inline constexpr std::int64_t kFewestBlocks = 8;  // minimum per LUN

// Dimensions of an FTL, with fractions converted to whole blocks and pages. Pages are logical pages
// of 4 KiB. Each occupies one part of a flash page; all parts of a flash page are programmed
// together.
struct FtlShape {
  std::uint32_t luns = 1;
  std::uint32_t blocks = 0;     // per LUN
  std::uint32_t pages = 0;      // per block; multiple of parts()
  std::uint32_t part_bits = 0;  // log2 of parts()
  std::uint64_t logical_pages = 0;
  std::uint64_t cached_entries = 0;  // 0: full map, without translation pages
  std::uint64_t map_entries = 1024;  // per 4 KiB of a translation page, which fills a flash page
  std::uint32_t gc_threshold = 2;    // free blocks of a LUN below which collection is due; >= 2
  std::uint32_t urgent_limit = 2;    // limit below which it is not deferred; <= gc_threshold
  bool dynamic = true;
  // How the rest of a flash page is filled. combine: other pages that leave the buffer. merge: the
  // page's neighbours in the address space.
  bool combine = true;
  bool merge = false;
  bool shared_frontier = false;
  std::uint32_t streams = 1;  // of the host's pages, each with an open block
  // SLC cache, in blocks and pages of one LUN. cache_blocks: most blocks in one-bit mode; 0: no
  // cache. cache_pages: pages of such a block. cache_reserve: blocks that data may not use;
  // cache_free: free blocks without which the cache opens no block.
  std::uint32_t cache_blocks = 0;
  std::uint32_t cache_pages = 0;
  std::uint32_t cache_reserve = 0;
  std::uint32_t cache_free = 0;
  bool retires = true;           // a block with a failed program becomes bad; false: it is reused
  std::uint32_t bad_blocks = 0;  // per LUN, initially
  std::uint64_t needed = 0;      // valid pages that must fit, including those on their way to flash
  std::uint32_t wear_gap = 0;    // most erase difference within a LUN; 0: unlimited
  std::vector<std::uint32_t> stripe;  // LUNs in stripe order, each once per plane

  std::uint32_t parts() const { return 1u << part_bits; }  // per flash page
  // Returns the most host pages that one program writes, including merged ones.
  std::uint32_t batch() const { return combine || merge ? parts() : 1; }
  std::uint64_t page_entries() const { return map_entries << part_bits; }
  // Returns the number of translation pages.
  std::uint64_t map_pages() const {
    return cached_entries == 0 ? 0 : map_shape().translation_pages();
  }
  MapShape map_shape() const {
    return {static_cast<std::uint32_t>(cached_entries), logical_pages, page_entries()};
  }
  std::uint32_t frontiers() const {
    return (cached_entries == 0 ? kFrontiers - 1 : kFrontiers) + streams - 1 +
           (cache_blocks == 0 ? 0 : 1);
  }
  // Returns the most valid pages of a full block that is worth collecting: its copies occupy at
  // least one flash page less than the block has.
  std::uint32_t max_collectable_valid() const { return pages - parts(); }
  // Returns the valid pages that a LUN with `bad` bad blocks may hold. Up to this limit, some full
  // block is worth collecting whenever collection is due: if none were, the blocks - (gc_threshold
  // - 1) - frontiers - bad full blocks would hold more pages than this. A block in one-bit mode is
  // always worth collecting, so the limit holds with any number of them.
  std::uint64_t valid_limit(std::uint32_t bad) const {
    const std::uint32_t kept = gc_threshold + frontiers() + cache_reserve + bad;
    return kept < blocks ? std::uint64_t{blocks - kept} * (max_collectable_valid() + 1) : 0;
  }
  std::uint64_t valid_limit() const { return valid_limit(bad_blocks); }
  // Returns the pages of a LUN's full blocks when collection begins, beyond its share of the
  // logical and translation pages and relative to that: what collection gains from. The rest of the
  // over-provisioning is in free, open, bad and reserved blocks.
  double spare() const {
    const std::int64_t full =
        std::int64_t{blocks} + 1 - gc_threshold - frontiers() - cache_reserve - bad_blocks;
    const auto used = static_cast<double>(logical_pages + (map_pages() << part_bits));
    return static_cast<double>(full * pages) * luns / used - 1;
  }

  // Physical pages are numbered LUN by LUN, then block by block.
  std::uint64_t places() const { return std::uint64_t{luns} * blocks * pages; }
  std::uint32_t lun_of(PhysicalPage at) const {
    return static_cast<std::uint32_t>(at.value() / pages / blocks);
  }
  std::uint32_t block_of(PhysicalPage at) const {
    return static_cast<std::uint32_t>(at.value() / pages % blocks);
  }
  std::uint32_t page_of(PhysicalPage at) const {
    return static_cast<std::uint32_t>(at.value() % pages);
  }
  PhysicalPage page_at(std::uint32_t lun, std::uint32_t block, std::uint32_t page) const {
    return PhysicalPage((std::int64_t{lun} * blocks + block) * pages + page);
  }
  // Returns the index of the block among the blocks of all LUNs.
  std::size_t block_index(std::uint32_t lun, std::uint32_t block) const {
    return std::size_t{lun} * blocks + block;
  }
  bool same_flash_page(PhysicalPage a, PhysicalPage b) const {
    return a.value() >> part_bits == b.value() >> part_bits;
  }
  // Returns the LUN that the stripe assigns to the page.
  std::uint32_t home(LogicalPage page) const {
    return stripe[(static_cast<std::size_t>(page.value()) >> part_bits) % stripe.size()];
  }
  // Returns the first part of a translation page. Translation pages follow the logical pages.
  LogicalPage map_page(std::uint32_t translation_page) const {
    return LogicalPage(
        static_cast<std::int64_t>(logical_pages + (std::uint64_t{translation_page} << part_bits)));
  }
  bool is_map_page(LogicalPage page) const {
    return static_cast<std::uint64_t>(page.value()) >= logical_pages;
  }

  // Loading: check that the place exists, or that a flash page begins there.
  void check_place(const Archive& archive, PhysicalPage at) const {
    archive.check_index(at.value(), static_cast<std::size_t>(places()), "invalid flash page");
  }
  void check_flash_page(const Archive& archive, PhysicalPage at) const {
    check_place(archive, at);
    archive.check(at.value() % parts() == 0, "address within a flash page instead of its start");
  }
};

// Demands of the host and the buffer on an FTL.
struct FtlDemands {
  Bytes capacity{0};              // raw
  std::int64_t commands = 0;      // per LUN, for a power failure's save
  std::int64_t write_frames = 0;  // of the buffer; their pages may all be on their way to flash
  std::int64_t kept_blocks = 0;   // per LUN; kept free for the save after a power failure
  std::int64_t streams = 1;       // of the host's pages
  const char* streams_key = "nvdimm.ftl.streams";  // the parameter that sets them
};

FtlShape ftl_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                   const FtlDemands& demands);

// Returns whether the capacity divides into whole LUNs and blocks; otherwise appends the errors.
// `lun_keys`: the parameters that set the number of LUNs, for the message.
bool check_capacity(Bytes capacity, const NandParameters& nand, std::vector<ParameterError>& errors,
                    const char* lun_keys = "nvdimm.nand.{channels,chips,dies}");
// Appends the errors of a shape that is too small. The capacity must have passed check_capacity().
void check_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                 const FtlDemands& demands, std::vector<ParameterError>& errors);

}  // namespace hmsim
