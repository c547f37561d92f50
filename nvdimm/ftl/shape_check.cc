// SPDX-License-Identifier: BSD-3-Clause
// Checks an FTL's shape: the flash divides evenly and everything that must fit does.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/units.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/map_cache.h"

namespace hmsim {

namespace {

bool fits(const FtlShape& shape) {
  return shape.logical_pages > 0 && shape.needed <= shape.valid_limit() * shape.luns;
}

// Returns the least over-provisioning, in percent and in steps of 0.1, with which all needed pages
// fit. Returns 0 if they do not fit with 1000 percent either.
double enough_over_provisioning(FtlParameters ftl, const GcParameters& gc,
                                const NandParameters& nand, const FtlDemands& demands) {
  constexpr double kSteps = 10;  // steps per percent
  constexpr double kMost = 1000;
  const auto fit = [&](double steps) {
    ftl.over_provisioning = steps / kSteps;
    return fits(ftl_shape(ftl, gc, nand, demands));
  };
  double low = 0;
  double high = kMost * kSteps;
  if (!fit(high)) {
    return 0;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fit(middle) ? high : low) = middle;
  }
  return high / kSteps;
}

// Returns the most streams that fit, or 0 if one does not fit either.
std::int64_t most_streams(const FtlParameters& ftl, const GcParameters& gc,
                          const NandParameters& nand, FtlDemands demands) {
  while (demands.streams > 0 && !fits(ftl_shape(ftl, gc, nand, demands))) {
    --demands.streams;
  }
  return demands.streams;
}

// Describes the most blocks that can be kept free with the given over-provisioning.
std::string most_kept(const FtlShape& shape) {
  const std::uint64_t of_block = std::uint64_t{shape.luns} * (shape.max_collectable_valid() + 1);
  const std::uint64_t taken = (shape.needed + of_block - 1) / of_block + shape.frontiers() +
                              shape.cache_reserve + shape.bad_blocks;
  constexpr std::uint64_t kLeast = 2;
  return taken + kLeast > shape.blocks
             ? ""
             : "; at most " + std::to_string(shape.blocks - taken) + " of them fit";
}

void check_over_provisioning(const FtlParameters& ftl, const GcParameters& gc,
                             const NandParameters& nand, const FtlDemands& demands,
                             std::vector<ParameterError>& errors) {
  const FtlShape shape = ftl_shape(ftl, gc, nand, demands);
  if (fits(shape)) {
    return;
  }
  const double enough = enough_over_provisioning(ftl, gc, nand, demands);
  if (const std::int64_t streams = most_streams(ftl, gc, nand, demands); streams > 0) {
    errors.push_back(
        {demands.streams_key,
         std::to_string(demands.streams) +
             " is too many: each stream has an open block in every LUN, and " +
             "with nvdimm.ftl.over_provisioning: " + format_real(ftl.over_provisioning) +
             " there is room for " + std::to_string(streams) +
             (enough > 0 ? "; " + format_real(enough) + " is enough" : "")});
    return;
  }
  const std::string kept =
      std::to_string(shape.gc_threshold) + " of " + std::to_string(shape.blocks) +
      " blocks of a LUN kept free (nvdimm.ftl.{gc_threshold,reserve_blocks}" +
      (demands.kept_blocks > 0 ? ", nvdimm.buffer.write_size)" : ")") +
      (shape.cache_reserve > 0 ? ", " + std::to_string(shape.cache_reserve) +
                                     " for the SLC cache (nvdimm.nand.slc_blocks)"
                               : "");
  if (shape.logical_pages == 0 ||
      shape.gc_threshold + shape.frontiers() + shape.cache_reserve + shape.bad_blocks >=
          shape.blocks) {
    errors.push_back(
        {"nvdimm.ftl.gc_threshold", "leaves no room for data: " + kept + most_kept(shape)});
    return;
  }
  errors.push_back(
      {"nvdimm.ftl.over_provisioning",
       format_real(ftl.over_provisioning) + " is too little: " + std::to_string(shape.needed) +
           " valid pages (including those in flight to flash" +
           (shape.map_pages() > 0 ? " and those of the map" : "") + ") must fit, but with " + kept +
           " and " + std::to_string(shape.frontiers()) + " open blocks only " +
           std::to_string(shape.valid_limit() * shape.luns) + " do" +
           (enough > 0 ? "; " + format_real(enough) + " is enough" : most_kept(shape))});
}

// Each page that collection moves dirties an entry. A victim has at most as many valid pages per
// page that it frees as there are logical pages per spare page. If translation pages are written
// with no more changed entries than that at once, collection consumes more pages than it frees.
void check_map_cache(const FtlParameters& ftl, const FtlShape& shape,
                     std::vector<ParameterError>& errors) {
  const std::uint64_t raw = std::uint64_t{shape.luns} * shape.blocks * shape.pages;
  const std::uint64_t spare = raw - std::min(raw, shape.logical_pages);
  const std::uint64_t together = (spare == 0 ? 0 : 2 * shape.logical_pages / spare)
                                 << shape.part_bits;
  if (shape.map_pages() > 0 && shape.cached_entries < together * shape.map_pages()) {
    errors.push_back({"nvdimm.ftl.map_cache",
                      format_size(ftl.map_cache) + " is too little: with this over-provisioning " +
                          std::to_string(together) + " entries of each of " +
                          std::to_string(shape.map_pages()) +
                          " translation pages must be cached, at least " +
                          format_size(static_cast<std::int64_t>(together * shape.map_pages()) *
                                      kCachedEntryBytes)});
  }
}

}  // namespace

bool check_capacity(Bytes capacity, const NandParameters& nand, std::vector<ParameterError>& errors,
                    const char* lun_keys) {
  const Bytes block = nand.superblock_pages() * nand.page_size;
  const Bytes stripe = nand.luns() * block;
  const std::string name = "nvdimm.capacity";
  const std::string size = format_size(capacity);
  const std::string luns = std::to_string(nand.luns()) + " LUNs (" + lun_keys + ") of " +
                           format_size(block) +
                           " blocks (nvdimm.nand.{page_size,pages_per_block,planes})";
  if (capacity % stripe != Bytes(0)) {
    const std::int64_t near = (capacity + stripe / 2) / stripe;
    errors.push_back(
        {name, size + " is not a multiple of " + format_size(stripe) + ", one block on each of " +
                   luns + "; nearest: " + format_size(std::max(near, kFewestBlocks) * stripe)});
  } else if (capacity / stripe < kFewestBlocks) {
    errors.push_back({name, size + " gives only " + std::to_string(capacity / stripe) +
                                " blocks to each of " + luns + "; at least " +
                                std::to_string(kFewestBlocks) +
                                " are needed: " + format_size(kFewestBlocks * stripe)});
  }
  return std::none_of(errors.begin(), errors.end(),
                      [&name](const ParameterError& error) { return error.name == name; });
}

void check_shape(const FtlParameters& ftl, const GcParameters& gc, const NandParameters& nand,
                 const FtlDemands& demands, std::vector<ParameterError>& errors) {
  check_over_provisioning(ftl, gc, nand, demands, errors);
  check_map_cache(ftl, ftl_shape(ftl, gc, nand, demands), errors);
}

}  // namespace hmsim
