// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl_shape.h"

#include <algorithm>
#include <string>
#include <utility>

#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/nand/flash_geometry.h"

namespace hmsim {

namespace {

// Returns the LUNs (channel-major numbers) in the order in which consecutive pages visit them.
std::vector<std::uint32_t> stripe_of(const NandParameters& nand, const std::string& order) {
  std::vector<std::uint32_t> stripe;
  for (std::int64_t i = 0; i < nand.luns() * nand.planes; ++i) {
    std::int64_t rest = i;
    std::int64_t channel = 0;
    std::int64_t chip = 0;
    std::int64_t die = 0;
    const auto take = [&rest](std::int64_t count) {
      return std::exchange(rest, rest / count) % count;
    };
    for (const char letter : order) {
      switch (letter) {
        case 'C':
          channel = take(nand.channels);
          break;
        case 'W':
          chip = take(nand.chips);
          break;
        case 'D':
          die = take(nand.dies);
          break;
        default:
          take(nand.planes);  // the FTL fills the planes of a LUN in turn
          break;
      }
    }
    stripe.push_back(static_cast<std::uint32_t>((channel * nand.chips + chip) * nand.dies + die));
  }
  return stripe;
}

}  // namespace

FtlShape ftl_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                   const FtlDemands& demands) {
  constexpr std::int64_t kMillion = 1'000'000;
  constexpr double kPartsPerPercent = 10'000;
  const std::int64_t raw_pages = demands.capacity / kPageBytes;
  const std::int64_t parts = nand.parts();
  const auto spare_ppm = static_cast<std::int64_t>(ftl.over_provisioning * kPartsPerPercent + 0.5);
  const std::int64_t blocks = nand.superblocks(demands.capacity) / nand.luns();
  const auto share_of_blocks = [blocks](double share) {
    const auto ppm = static_cast<std::int64_t>(share * static_cast<double>(kMillion) + 0.5);
    return (blocks * ppm + kMillion - 1) / kMillion;
  };

  FtlShape shape;
  shape.luns = static_cast<std::uint32_t>(nand.luns());
  shape.blocks = static_cast<std::uint32_t>(blocks);
  shape.pages = static_cast<std::uint32_t>(nand.superblock_pages() * parts);
  shape.part_bits = log2_of_parts(nand);
  shape.combine = ftl.partial_writes == PartialWrites::combine;
  shape.merge = ftl.partial_writes == PartialWrites::merge && parts > 1;
  shape.logical_pages =
      static_cast<std::uint64_t>(raw_pages * kMillion / (kMillion + spare_ppm) / parts * parts);
  if (ftl.map == MapPlace::cached) {
    shape.map_entries = static_cast<std::uint64_t>(kPageBytes / ftl.map_entry);
    shape.cached_entries = static_cast<std::uint64_t>(ftl.map_cache / kCachedEntryBytes);
  }
  shape.gc_threshold = static_cast<std::uint32_t>(std::min(
      blocks,
      std::max({share_of_blocks(ftl.gc_threshold), ftl.reserve_blocks, demands.kept_blocks})));
  shape.urgent_limit = static_cast<std::uint32_t>(
      std::min(std::int64_t{shape.gc_threshold},
               std::max({share_of_blocks(gc.urgent_limit), std::int64_t{2}, demands.kept_blocks})));
  shape.cache_blocks = static_cast<std::uint32_t>(std::min(blocks, nand.slc_blocks));
  shape.cache_pages = static_cast<std::uint32_t>(nand.slc_pages() * nand.planes * parts);
  const bool fixed_cache = ftl.slc_size == CacheSize::fixed;
  shape.cache_reserve = fixed_cache ? shape.cache_blocks : 0;
  shape.cache_free = shape.gc_threshold + (fixed_cache ? 0 : 1);
  shape.bad_blocks = static_cast<std::uint32_t>(nand.factory_bad_superblocks(blocks));
  shape.dynamic = ftl.allocation == PageAllocation::dynamic;
  shape.shared_frontier = ftl.frontier == WriteFrontier::shared;
  shape.streams = static_cast<std::uint32_t>(demands.streams);
  shape.wear_gap = static_cast<std::uint32_t>(ftl.wear_gap);
  shape.stripe = stripe_of(nand, ftl.order);
  // Pages on their way to flash hold a claim on a LUN while their old copies are still valid. A
  // batch that fills a flash page needs room on a single LUN, so a few free places on each may be
  // unusable.
  const std::int64_t frames = demands.write_frames;
  const std::int64_t moving = shape.merge ? parts * std::min(demands.commands, frames)
                                          : std::min(demands.commands + parts - 1, frames);
  const std::uint64_t pages = shape.logical_pages + (shape.map_pages() << shape.part_bits);
  const std::uint64_t map_writes = shape.map_pages() == 0 ? 0 : shape.luns;  // at a time
  const std::uint64_t stripe = std::uint64_t{shape.luns} << shape.part_bits;
  shape.needed = shape.dynamic ? pages + static_cast<std::uint64_t>(moving) +
                                     (map_writes << shape.part_bits) + stripe - shape.luns
                               : (pages + stripe - 1) / stripe * stripe;
  return shape;
}

}  // namespace hmsim
