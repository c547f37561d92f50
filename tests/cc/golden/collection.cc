// SPDX-License-Identifier: BSD-3-Clause
// Golden runs of garbage collection, of the map, and of the initial flash contents.
#include "tests/cc/assignments.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

namespace {

Assignments flash(const Assignments& more) { return with(kGoldenFlash, more); }

// Erases take long enough that other work cannot hide them.
Assignments scheduler(const char* name, const Assignments& more = {}) {
  return flash(with({{"nvdimm.gc.scheduler", name}, {"nvdimm.nand.erase_time", "20us"}}, more));
}

Assignments victim(const char* name, const Assignments& more = {}) {
  return flash(with({{"nvdimm.ftl.victim", name}, {"nvdimm.ftl.over_provisioning", "55"}}, more));
}

Assignments cached_map(const char* size, const Assignments& more = {}) {
  return flash(with({{"nvdimm.ftl.map", "cached"},
                     {"nvdimm.ftl.map_cache", size},
                     {"nvdimm.ftl.over_provisioning", "150"}},
                    more));
}

std::vector<GoldenCase> schedulers() {
  const auto traffic = agents::writes();
  // Little traffic, because one collection step may delay all of it.
  const agents::List few{agents::lines("0", "nvdimm", "512KiB", "0.4", "3"),
                         agents::seldom("3", "dram", "200ns")};
  const agents::List more{agents::lines("0", "nvdimm", "512KiB", "0.4", "10"),
                          agents::blocks("1", "random", "0.6"),
                          agents::seldom("3", "dram", "200ns")};
  const Assignments four_luns{{"nvdimm.nand.chips", "2"}, {"nvdimm.nand.pages_per_block", "8"}};
  return {
      {"reactive", scheduler("reactive"), few},
      {"reactive_copyback", scheduler("reactive_copyback"), traffic},
      {"background",
       scheduler("background", {{"policies.background.soft_threshold", "2"}}),
       {agents::seldom("4", "nvdimm", "400ns"), agents::blocks("5", "zipf", "0.5")}},
      {"preemptive", scheduler("preemptive"), traffic},
      {"preemptive_unplaced",
       scheduler("preemptive",
                 {{"policies.preemptive.unplaced", "true"}, {"nvdimm.gc.urgent_limit", "0.03"}}),
       traffic},
      {"proactive", scheduler("proactive"), few},
      {"proactive_of_four_luns", scheduler("proactive", four_luns), more},
      {"proactive_shared_by_channels",
       scheduler("proactive", with(four_luns, {{"policies.proactive.estimate", "parallel"}})),
       more},
      {"proactive_first_stage",
       scheduler("proactive", {{"policies.proactive.stages", "1"}, {"controller.queues", "split"}}),
       traffic},
      {"proactive_second_stage",
       scheduler("proactive",
                 {{"policies.proactive.stages", "2"}, {"policies.proactive.lun", "shared"}}),
       few},
      {"proactive_with_planes",
       scheduler("proactive", {{"nvdimm.nand.planes", "2"},
                               {"nvdimm.nand.pages_per_block", "8"},
                               {"nvdimm.nand.multi_plane", "true"}}),
       traffic},
      {"proactive_prefetched",
       scheduler("proactive", {{"nvdimm.buffer.manager", "prefetch_preevict"}}), traffic},
      {"reactive_suspended",
       scheduler("reactive",
                 {{"nvdimm.nand.suspend", "both"}, {"nvdimm.nand.suspend_time", "200ns"}}),
       traffic},
      {"channel_is_held", scheduler("reactive", {{"nvdimm.gc.hold_channel", "true"}}), traffic},
      {"thresholds",
       flash({{"nvdimm.ftl.gc_threshold", "0.2"}, {"nvdimm.ftl.reserve_blocks", "4"}}), traffic},
      {"shared_frontier", flash({{"nvdimm.ftl.frontier", "shared"}}), traffic},
      {"wear_levelling",
       flash({{"nvdimm.ftl.wear_gap", "2"}, {"nvdimm.precondition.pattern", "zipf"}}),
       {agents::blocks("0", "zipf", "0"), agents::lines("1", "nvdimm", "96KiB", "0")}},
  };
}

std::vector<GoldenCase> wear() {
  const std::vector<Assignments> traffic{agents::blocks("0", "zipf", "0"),
                                         agents::lines("1", "nvdimm", "96KiB", "0")};
  const auto levels = [](const char* policy, const char* parameter) {
    return flash({{"nvdimm.ftl.wear", policy},
                  {std::string("policies.") + policy + parameter, "2"},
                  {"nvdimm.precondition.pattern", "zipf"}});
  };
  return {{"erase_table", levels("erase_table", ".threshold"), traffic},
          {"random_block", levels("random_block", ".period"), traffic}};
}

std::vector<GoldenCase> victims() {
  const auto traffic = agents::writes();
  return {
      {"greedy", victim("greedy"), traffic},
      {"cost_benefit", victim("cost_benefit"), traffic},
      {"fifo", victim("fifo"), traffic},
      {"random_victim", victim("random_victim"), traffic},
      {"d_choices", victim("d_choices", {{"policies.d_choices.d", "3"}}), traffic},
      {"cost_benefit_with_planes",
       victim("cost_benefit", {{"nvdimm.nand.planes", "2"}, {"nvdimm.nand.pages_per_block", "8"}}),
       traffic},
  };
}

Assignments placement(const char* name, const Assignments& more = {}) {
  return flash(with({{"nvdimm.ftl.placement", name}}, more));
}

std::vector<GoldenCase> placements() {
  const auto traffic = joined(agents::writes(), {agents::blocks("5", "zipf", "0.2", "2")});
  return {
      {"by_handle", placement("by_handle"), traffic},
      {"round_robin_streams", placement("round_robin_streams"), traffic},
      {"hot_cold_frequency", placement("hot_cold_frequency"), traffic},
      {"hot_cold_recency", placement("hot_cold_recency"), traffic},
      {"hot_cold_recency_of_16k_pages",
       placement("hot_cold_recency", {{"nvdimm.nand.page_size", "16KiB"},
                                      {"nvdimm.nand.pages_per_block", "8"},
                                      {"nvdimm.ftl.over_provisioning", "150"},
                                      {"nvdimm.capacity", "4MiB"}}),
       traffic},
  };
}

std::vector<GoldenCase> maps() {
  const auto traffic = agents::writes();
  return {
      {"map_cached", cached_map("4KiB"), traffic},
      {"map_hardly_cached", cached_map("128B", {{"nvdimm.ftl.map_entry", "16B"}}), traffic},
      {"map_cached_sparse_entries", cached_map("512B", {{"nvdimm.ftl.map_entry", "256B"}}),
       traffic},
      {"map_lru_pages",
       cached_map("512B",
                  {{"nvdimm.ftl.map_entry", "256B"}, {"nvdimm.ftl.map_replacement", "lru_pages"}}),
       traffic},
      {"map_two_level",
       cached_map("512B", {{"nvdimm.ftl.map_entry", "256B"},
                           {"nvdimm.ftl.map_replacement", "two_level_map"}}),
       traffic},
      {"map_cached_of_16k_pages",
       cached_map("512B", {{"nvdimm.nand.page_size", "16KiB"},
                           {"nvdimm.nand.pages_per_block", "8"},
                           {"nvdimm.capacity", "4MiB"},
                           {"nvdimm.ftl.map_entry", "64B"}}),
       traffic},
      {"map_cached_proactive",
       cached_map("256B", {{"nvdimm.gc.scheduler", "proactive"}, {"nvdimm.ftl.map_entry", "64B"}}),
       traffic},
      {"map_cached_prefetched",
       cached_map("256B", {{"nvdimm.buffer.manager", "prefetch_preevict"},
                           {"nvdimm.ftl.map_entry", "64B"},
                           {"nvdimm.buffer.flush", "writeback"}}),
       joined(traffic, {agents::blocks("5", "random", "0.2", "2")})},
  };
}

std::vector<GoldenCase> starts() {
  const auto traffic = agents::writes();
  return {
      {"overwritten_in_order", flash({{"nvdimm.precondition.pattern", "sequential"}}), traffic},
      {"half_full",
       flash({{"nvdimm.precondition.fill", "0.5"}, {"nvdimm.precondition.overwrite", "3"}}),
       traffic},
      {"buffer_dirty", flash({{"nvdimm.precondition.buffer", "dirty"}}), traffic},
      {"buffer_resident", flash({{"nvdimm.precondition.buffer", "resident"}}), traffic},
      {"buffer_half_resident_half_dirty",
       flash({{"nvdimm.precondition.buffer", "resident_dirty"},
              {"nvdimm.precondition.resident", "0.5"},
              {"nvdimm.precondition.dirty", "0.5"}}),
       traffic},
      {"buffer_resident_of_items",
       flash({{"nvdimm.precondition.buffer", "resident"},
              {"nvdimm.buffer.granularity", "item"},
              {"nvdimm.buffer.write_size", "4KiB"},
              {"nvdimm.ftl.over_provisioning", "150"}}),
       traffic},
  };
}

}  // namespace

GoldenGroup golden_collection() {
  return {"collection", 800 * kMicrosecond,
          joined(joined(joined(schedulers(), victims()), joined(placements(), wear())),
                 joined(maps(), starts()))};
}

}  // namespace hmsim::testing
