// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl_parameters.h"

#include <algorithm>

#include "core/errors.h"
#include "nvdimm/ftl/map_cache.h"
#include "policies/page_placement.h"

namespace hmsim {

namespace {

constexpr std::int64_t kTiB = std::int64_t{1} << 40;

bool is_order(std::string order) {
  std::sort(order.begin(), order.end());
  return order == "CDPW";
}

}  // namespace

void FtlParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "ftl");
  set.real("over_provisioning", over_provisioning, 0.1, 1000, "percent",
           {"raw capacity beyond the logical one, relative to the logical one", "MQSim"});
  set.choice(
      "allocation", allocation,
      {{"dynamic", PageAllocation::dynamic}, {"static", PageAllocation::fixed}},
      {"LUN of a written page: the next idle one in stripe order, or the page's striped place",
       "assumed"});
  set.text("order", order,
           {"stripe order of C(hannel) W(ay, a chip) D(ie) P(lane); the first varies fastest; a "
            "LUN has one plane",
            "MQSim, SimpleSSD"});
  set.real("gc_threshold", gc_threshold, 0, 0.9, "of a LUN's blocks",
           {"collection starts when fewer blocks are free", "MQSim, SimpleSSD"});
  set.integer("reserve_blocks", reserve_blocks, {2, 1024}, "blocks",
              {"free blocks of a LUN below which collection starts, independent of gc_threshold",
               "assumed"});
  set.choice("frontier", frontier,
             {{"separate", WriteFrontier::separate}, {"shared", WriteFrontier::shared}},
             {"whether collected pages go to a separate open block", "assumed"});
  set.choice("partial_writes", partial_writes,
             {{"combine", PartialWrites::combine},
              {"pad", PartialWrites::pad},
              {"merge", PartialWrites::merge}},
             {"how to fill a flash page that has room for several pages of 4 KiB. combine: with "
              "other pages that leave the buffer together with the first, then padding; pad: with "
              "padding; merge: with its neighbours in the address space, read from flash if they "
              "are not in the buffer",
              "assumed; SimpleSSD, MQSim: merge"});
  set.choice("map", map, {{"full", MapPlace::full}, {"cached", MapPlace::cached}},
             {"location of the map: all of it in the NVDIMM's memory, or in translation pages in "
              "flash with a cache of single entries",
              "Gupta et al. (DFTL), ASPLOS 2009"});
  set.size("map_cache", map_cache, {kCachedEntryBytes.value(), kTiB},
           {"memory for the cached entries of the map, 8 B each", "MQSim: 2 MiB"});
  set.size("map_entry", map_entry, {4, 256},
           {"bytes of a cached map's entry in its translation page, a flash page",
            "Gupta et al. (DFTL), ASPLOS 2009"});
  set.name_of("map_replacement", map_replacement, policy_names(PolicyKind::map_replacement),
              {"policy of a cached map: the entries to load and to evict",
               "Gupta et al. (DFTL), ASPLOS 2009"});
  set.name_of("victim", victim, policy_names(PolicyKind::victim_selector),
              {"victim policy: the full block of a LUN to clean next", "the paper's is not given"});
  set.name_of(
      "placement", placement, policy_names(PolicyKind::page_placement),
      {"placement policy: the stream, which has an open block in each LUN, of a written page",
       "assumed"});
  set.integer(
      "streams", streams, {1, kMostStreams}, "streams",
      {"streams among which the placement policy distributes pages; single: always 1", "assumed"});
  set.integer_or(
      "wear_gap", wear_gap, {1, 1'000'000}, "off", 0, "erases",
      {"static wear levelling: once the erase counts of a LUN's most worn block and of its least "
       "worn full block differ by this number, the pages of the latter are moved",
       "MQSim: 100"});
  set.choice("slc_size", slc_size, {{"static", CacheSize::fixed}, {"dynamic", CacheSize::dynamic}},
             {"capacity of the SLC cache (nvdimm.nand.slc_blocks). static: its blocks are set "
              "aside; dynamic: it uses free blocks that collection does not need",
              "assumed"});
  set.name_of("wear", wear, policy_names(PolicyKind::wear_leveler),
              {"static wear levelling: when the pages of a full block move, and of which one; "
               "wear_gap is erase_gap's",
               "assumed"});
}

void FtlParameters::set_makers(const PolicyMakers& makers, const std::string& owner) {
  const auto set = [&](const char* name, auto& make) {
    const auto found = makers.find(owner + ".ftl." + name);
    make = found == makers.end() ? make : found->second;
  };
  set("placement", make_placement);
  set("wear", make_wear);
  set("map_replacement", make_map);
}

void GcParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "gc");
  set.name_of("scheduler", scheduler, policy_names(PolicyKind::gc_scheduler),
              {"schedule of the steps of collection, and what takes precedence", "the paper, V-C"});
  set.real(
      "urgent_limit", urgent_limit, 0, 0.9, "of a LUN's blocks",
      {"with fewer free blocks (never fewer than 2), collection is no longer deferred", "MQSim"});
  set.boolean("hold_channel", hold_channel,
              {"the flash channel is held for a whole page copy",
               "assumed; the paper, section V-C: a copy blocks all chips of its bus"});
}

void FtlParameters::check(std::vector<ParameterError>& errors) const {
  if (!is_order(order)) {
    errors.push_back(
        {"nvdimm.ftl.order", in_quotes(order.substr(0, 80)) +
                                 " must name each of C, W, D and P once, for example CWDP"});
  }
}

}  // namespace hmsim
