// SPDX-License-Identifier: BSD-3-Clause
// How large a flash translation layer is, and what it keeps free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_parameters.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

inline constexpr std::uint32_t kFrontiers = 3;    // blocks of a LUN that may be open
inline constexpr std::int64_t kFewestBlocks = 8;  // a LUN must have

// What the FTL is made for; fractions already turned into whole blocks and pages. Its pages are
// logical ones of 4 KiB: each is a part of a flash page, of which all parts are programmed at once.
struct FtlShape {
  std::uint32_t luns = 1;
  std::uint32_t blocks = 0;     // a LUN
  std::uint32_t pages = 0;      // a block: a multiple of parts()
  std::uint32_t part_bits = 0;  // log2 of parts()
  std::uint64_t logical_pages = 0;
  std::uint64_t cached_entries = 0;  // of the map; 0: all of it, and no translation pages
  std::uint64_t map_entries = 1024;  // in 4 KiB of a translation page, which is a flash page
  std::uint32_t gc_threshold = 2;    // free blocks of a LUN below which collection is due; >= 2
  std::uint32_t urgent_limit = 2;    // free blocks below which it is not put off; <= gc_threshold
  bool dynamic = true;
  // What fills a flash page besides a page of the host: others that leave the buffer, or its
  // neighbours in the address space.
  bool combine = true;
  bool merge = false;
  bool shared_frontier = false;
  std::uint32_t bad_blocks = 0;       // a LUN, from the beginning
  std::uint64_t needed = 0;           // valid pages that must fit, with those on their way to flash
  std::uint32_t wear_gap = 0;         // erases between a LUN's most and least worn block; 0: any
  std::vector<std::uint32_t> stripe;  // LUNs in stripe order, each as often as it has planes

  std::uint32_t parts() const { return 1u << part_bits; }  // of a flash page
  // Pages of the host that one program may write, those included that it moves.
  std::uint32_t batch() const { return combine || merge ? parts() : 1; }
  std::uint64_t page_entries() const { return map_entries << part_bits; }
  // Translation pages.
  std::uint64_t map_pages() const {
    return cached_entries == 0 ? 0 : (logical_pages + page_entries() - 1) / page_entries();
  }
  std::uint32_t frontiers() const { return cached_entries == 0 ? kFrontiers - 1 : kFrontiers; }
  // Valid pages of a full block that is worth collecting: their copies take up a flash page less
  // than it has.
  std::uint32_t worth_collecting() const { return pages - parts(); }
  // Valid pages a LUN with so many bad blocks may hold. Then, whenever collection is due, some full
  // block is worth it: blocks - (gc_threshold - 1) - frontiers full blocks that are not hold more
  // pages than this.
  std::uint64_t valid_limit(std::uint32_t bad) const {
    const std::uint32_t kept = gc_threshold + frontiers() + bad;
    return kept < blocks ? std::uint64_t{blocks - kept} * (worth_collecting() + 1) : 0;
  }
  std::uint64_t valid_limit() const { return valid_limit(bad_blocks); }

  // Physical pages are numbered LUN by LUN, block by block.
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
  // Among the blocks of all LUNs.
  std::size_t block_index(std::uint32_t lun, std::uint32_t block) const {
    return std::size_t{lun} * blocks + block;
  }
  bool same_flash_page(PhysicalPage a, PhysicalPage b) const {
    return a.value() >> part_bits == b.value() >> part_bits;
  }
  // The LUN where the page's stripe puts it.
  std::uint32_t home(LogicalPage page) const {
    return stripe[(static_cast<std::size_t>(page.value()) >> part_bits) % stripe.size()];
  }
  // The number of a translation page's first part. Translation pages come after the logical pages.
  LogicalPage map_page(std::uint32_t translation_page) const {
    return LogicalPage(
        static_cast<std::int64_t>(logical_pages + (std::uint64_t{translation_page} << part_bits)));
  }
  bool is_map_page(LogicalPage page) const {
    return static_cast<std::uint64_t>(page.value()) >= logical_pages;
  }

  // Loading: there is such a place; a flash page begins there.
  void check_place(const Archive& archive, PhysicalPage at) const {
    archive.check_index(at.value(), static_cast<std::size_t>(places()),
                        "a flash page does not exist");
  }
  void check_flash_page(const Archive& archive, PhysicalPage at) const {
    check_place(archive, at);
    archive.check(at.value() % parts() == 0, "a flash page begins elsewhere");
  }
};

// Demands on an FTL.
struct FtlDemands {
  Bytes capacity{0};              // raw
  std::int64_t commands = 0;      // of the host that may be unfinished
  std::int64_t write_frames = 0;  // of the buffer: what may be on its way to flash
  std::int64_t kept_blocks = 0;   // of a LUN, free for the save after a power failure
};

FtlShape ftl_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                   const FtlDemands& demands);

// Whether so much flash divides into LUNs and blocks.
bool check_capacity(Bytes capacity, const NandParameters& nand,
                    std::vector<ParameterError>& errors);
// Whether all that must fit does. The capacity has passed check_capacity().
void check_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                 const FtlDemands& demands, std::vector<ParameterError>& errors);

}  // namespace hmsim
