// SPDX-License-Identifier: BSD-3-Clause
// How large a flash translation layer is, and what it keeps free.
#pragma once

#include <cstdint>
#include <vector>

#include "nvdimm/parameters.h"

namespace hmsim {

inline constexpr std::uint32_t kFrontiers = 3;    // blocks of a LUN that may be open
inline constexpr std::int64_t kFewestBlocks = 8;  // a LUN must have

// What the FTL is made for; fractions already turned into whole blocks and pages.
struct FtlShape {
  std::uint32_t luns = 1;
  std::uint32_t blocks = 0;  // a LUN
  std::uint32_t pages = 0;   // a block
  std::uint64_t logical_pages = 0;
  std::uint64_t cached_entries = 0;  // of the map; 0: all of it, and no translation pages
  std::uint64_t map_entries = 1024;  // of a translation page
  std::uint32_t gc_threshold = 2;    // free blocks of a LUN below which collection is due; >= 2
  std::uint32_t urgent_limit = 2;    // free blocks below which it is not put off; <= gc_threshold
  bool dynamic = true;
  bool shared_frontier = false;
  std::uint32_t bad_blocks = 0;       // a LUN, from the beginning
  std::uint64_t needed = 0;           // valid pages that must fit, with those on their way to flash
  std::uint32_t wear_gap = 0;         // erases between a LUN's most and least worn block; 0: any
  std::vector<std::uint32_t> stripe;  // LUNs in stripe order, each as often as it has planes

  std::uint64_t map_pages() const {
    return cached_entries == 0 ? 0 : (logical_pages + map_entries - 1) / map_entries;
  }
  std::uint32_t frontiers() const { return cached_entries == 0 ? kFrontiers - 1 : kFrontiers; }
  // Valid pages a LUN with so many bad blocks may hold. Then, whenever collection is due, some full
  // block has an invalid page: blocks - (gc_threshold - 1) - frontiers full blocks hold more pages
  // than this.
  std::uint64_t valid_limit(std::uint32_t bad) const {
    const std::uint32_t kept = gc_threshold + frontiers() + bad;
    return kept < blocks ? std::uint64_t{blocks - kept} * pages : 0;
  }
  std::uint64_t valid_limit() const { return valid_limit(bad_blocks); }
};

FtlShape ftl_shape(const NvdimmParameters& parameters);

}  // namespace hmsim
