// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl_parameters.h"

#include <algorithm>

#include "nvdimm/ftl/map_cache.h"
#include "policies/policy.h"

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
  set.choice("allocation", allocation,
             {{"dynamic", PageAllocation::dynamic}, {"static", PageAllocation::fixed}},
             {"LUN of a written page: the next idle one in stripe order, or the page's striped "
              "place",
              "assumed"});
  set.text("order", order,
           {"stripe order of C(hannel) W(ay, a chip) D(ie) P(lane); the first varies fastest; a "
            "LUN has one plane",
            "MQSim, SimpleSSD"});
  set.real("gc_threshold", gc_threshold, 0, 0.9, "of a LUN's blocks",
           {"collection starts when fewer blocks are free", "MQSim, SimpleSSD"});
  set.integer(
      "reserve_blocks", reserve_blocks, {2, 1024}, "blocks",
      {"free blocks of a LUN below which collection starts whatever gc_threshold says", "assumed"});
  set.choice("frontier", frontier,
             {{"separate", WriteFrontier::separate}, {"shared", WriteFrontier::shared}},
             {"whether collected pages go to an open block of their own", "assumed"});
  set.choice("partial_writes", partial_writes,
             {{"combine", PartialWrites::combine},
              {"pad", PartialWrites::pad},
              {"merge", PartialWrites::merge}},
             {"what fills a flash page that has room for several pages of 4 KiB. combine: other "
              "pages that leave the buffer with the first, then padding; pad: padding; merge: the "
              "pages beside it in the address space, read from flash where the buffer has them not",
              "assumed; SimpleSSD, MQSim: merge"});
  set.choice("map", map, {{"full", MapPlace::full}, {"cached", MapPlace::cached}},
             {"where the map is: all of it in the NVDIMM's memory, or in translation pages in "
              "flash, of which single entries are cached",
              "Gupta et al. (DFTL), ASPLOS 2009"});
  set.size("map_cache", map_cache, {kCachedEntryBytes.value(), kTiB},
           {"memory for entries of a cached map, 8 B each", "MQSim: 2 MiB"});
  set.size("map_entry", map_entry, {4, 256},
           {"an entry of a cached map in its translation page, a flash page",
            "Gupta et al. (DFTL), ASPLOS 2009"});
  set.name_of("victim", victim, policy_names(PolicyKind::victim_selector),
              {"which full block of a LUN is cleaned next", "the paper's is not given"});
  set.integer_or("wear_gap", wear_gap, {1, 1'000'000}, "off", 0, "erases",
                 {"static wear levelling: once a LUN's most worn block was erased so many times "
                  "more often than its least worn full one, that one's pages are moved",
                  "MQSim: 100"});
}

void GcParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "gc");
  set.name_of("scheduler", scheduler, policy_names(PolicyKind::gc_scheduler),
              {"when collection takes its steps, and what goes before them", "the paper, V-C"});
  set.real("urgent_limit", urgent_limit, 0, 0.9, "of a LUN's blocks",
           {"with fewer blocks free (never fewer than 2), collection is not deferred any more",
            "MQSim"});
  set.boolean("hold_channel", hold_channel,
              {"the flash channel is held during a whole page copy",
               "assumed; the paper, section V-C: a copy blocks all chips of its bus"});
}

void FtlParameters::check(std::vector<ParameterError>& errors) const {
  if (!is_order(order)) {
    errors.push_back(
        {"nvdimm.ftl.order",
         "'" + order.substr(0, 80) + "' does not name each of C, W, D and P once, as CWDP"});
  }
}

}  // namespace hmsim
