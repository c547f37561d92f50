// SPDX-License-Identifier: BSD-3-Clause
// Small systems that between them have every part a checkpoint holds the state of.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/random.h"

namespace hmsim {

struct FuzzedSystem {
  Assignments config;
  std::vector<Assignments> agents;
};

inline std::string fuzzed_trace(std::size_t agent_kind) {
  std::string trace;
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    if (agent_kind == 0) {  // ramulator
      trace += std::to_string(random.below(60)) + " " + std::to_string(random.below(1 << 22)) +
               (i % 3 == 0 ? " " + std::to_string(random.below(1 << 22)) + "\n" : "\n");
    } else {  // mqsim
      trace += std::to_string(i * 500) + " 0 " + std::to_string(random.below(1'000)) + " " +
               std::to_string(random.below(16) + 1) + " " + std::to_string(random.below(2)) + "\n";
    }
  }
  return trace;
}

// As commands fill it in: the same rate for all patterns.
inline std::string harmonic_table() {
  std::string table = "version 1 dram";
  for (int i = 0; i < 48 + 576; ++i) {
    table += i == 48 ? " nvdimm 100" : " 100";
  }
  return table;
}

inline std::vector<FuzzedSystem> fuzzed_systems() {
  const Assignments flash{{"nvdimm.capacity", "2MiB"},
                          {"nvdimm.command_queue", "64"},
                          {"nvdimm.buffer.read_size", "64KiB"},
                          {"nvdimm.buffer.write_size", "64KiB"},
                          {"nvdimm.ftl.over_provisioning", "60"},
                          {"nvdimm.nand.channels", "2"},
                          {"nvdimm.nand.chips", "1"},
                          {"nvdimm.nand.pages_per_block", "16"},
                          {"nvdimm.nand.read_time", "3us"},
                          {"nvdimm.nand.program_time", "9us"},
                          {"nvdimm.nand.erase_time", "20us"},
                          {"nvdimm.precondition.fill", "1"},
                          {"nvdimm.precondition.overwrite", "1"},
                          {"controller.queue_depth", "24"},
                          {"controller.command_queue_depth", "12"},
                          {"controller.nvdimm_queue_depth", "16"}};
  const auto with = [](Assignments base, const Assignments& more) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  const Assignments split = with(flash, {{"controller.queues", "split"}});
  const Assignments pcm{{"nvdimm.kind", "pcm"},
                        {"nvdimm.capacity", "1MiB"},
                        {"nvdimm.media.write_queue", "4"},
                        {"nvdimm.media.banks", "2"},
                        {"controller.queue_depth", "24"}};
  const Assignments dram{{"nvdimm.present", "false"}, {"controller.queue_depth", "24"}};
  const Assignments stream{{"kind", "synthetic"},
                           {"footprint", "1MiB"},
                           {"read_ratio", "0.6"},
                           {"requests", "100000"},
                           {"outstanding", "24"}};
  const Assignments both = with(stream, {{"target", "system"}});
  const Assignments to_dram = with(stream, {{"target", "dram"}});
  const Assignments to_nvdimm =
      with(stream, {{"target", "nvdimm"}, {"footprint", "512KiB"}, {"core", "1"}});
  const Assignments core{{"kind", "llc_trace"}, {"path", "0"}, {"format", "ramulator"}};
  const Assignments block{{"kind", "block_trace"}, {"path", "1"}, {"format", "mqsim"},
                          {"window", "20"},        {"core", "1"}, {"driver", "pmbd"}};
  const Assignments chase{{"kind", "synthetic_core"},
                          {"pattern", "pointer_chase"},
                          {"footprint", "1MiB"},
                          {"rpki", "40"},
                          {"core", "2"}};
  return {
      {flash, {to_dram, to_nvdimm}},
      {split, {core, block}},
      {with(flash, {{"controller.scheduler", "firm"}, {"controller.writes", "drained"}}),
       {core, to_nvdimm}},
      {with(flash, {{"controller.scheduler", "tcm"},
                    {"policies.tcm.quantum", "5us"},
                    {"dram.refresh_postpone", "8"},
                    {"dram.ranks", "2"}}),
       {core, to_nvdimm}},
      {with(split, {{"controller.scheduler", "par_bs"},
                    {"controller.nvdimm_scheduler", "atlas"},
                    {"policies.atlas.quantum", "5us"},
                    {"controller.arbiter", "oldest_first"},
                    {"controller.starvation_limit", "3us"}}),
       {chase, to_nvdimm, to_dram}},
      {with(split, {{"controller.nvdimm_scheduler", "pas"},
                    {"controller.arbiter", "harmonic"},
                    {"policies.harmonic.table", harmonic_table()},
                    {"nvdimm.buffer.manager", "prefetch_preevict"},
                    {"nvdimm.buffer.replacement", "lirs"},
                    {"nvdimm.gc.scheduler", "proactive"}}),
       {core, block, to_nvdimm}},
      {with(flash, {{"controller.scheduler", "bliss"},
                    {"controller.structure", "two_level"},
                    {"controller.page_policy", "closed_page"}}),
       {to_dram, block}},
      {with(flash, {{"controller.ack", "nvdimm_p"},
                    {"controller.nvdimm_p.credits", "3"},
                    {"controller.scheduler", "nvm_duet"}}),
       {to_dram, block}},
      {with(flash, {{"system.store_data", "true"},
                    {"nvdimm.capacity", "4MiB"},
                    {"nvdimm.buffer.write_size", "16KiB"},
                    {"nvdimm.ftl.over_provisioning", "150"},
                    {"nvdimm.buffer.granularity", "item"}}),
       {to_dram, block}},
      {with(flash, {{"nvdimm.ftl.map", "cached"},
                    {"nvdimm.ftl.map_cache", "4KiB"},
                    {"nvdimm.ftl.over_provisioning", "150"},
                    {"controller.arbiter", "ready_batch"},
                    {"controller.ack", "auto"}}),
       {to_dram, to_nvdimm}},
      {with(dram, {{"dram.preset", "ddr5_4800b_16gb_x8"},
                   {"dram.refresh_mode", "same_bank"},
                   {"dram.power_down", "fast"},
                   {"dram.ranks", "2"},
                   {"controller.scheduler", "fr_fcfs_cap"},
                   {"controller.address_map", "row|group|bank|rank|column|channel"}}),
       {with(to_dram, {{"interval", "60ns"}}), core}},
      {with(dram, {{"dram.power_down", "fast"},
                   {"dram.self_refresh", "true"},
                   {"dram.self_refresh_idle", "1us"},
                   {"dram.timing.tREFI", "700"},
                   {"dram.refresh_postpone", "3"},
                   {"dram.refresh_pull_in", "2"},
                   {"dram.ranks", "2"},
                   {"controller.page_policy", "timeout_page"},
                   {"controller.writes", "drained"}}),
       {with(to_dram, {{"interval", "90ns"}}), chase}},
      {pcm, {to_dram, to_nvdimm}},
      {with(pcm, {{"controller.ack", "nvdimm_p"}, {"system.store_data", "true"}}), {both, block}},
      {with(flash, {{"nvdimm.nand.planes", "2"},
                    {"nvdimm.nand.pages_per_block", "8"},
                    {"nvdimm.nand.interface", "nv_ddr"},
                    {"nvdimm.nand.program_model", "tlc"},
                    {"nvdimm.nand.fast_read_time", "2us"},
                    {"nvdimm.nand.middle_read_time", "3us"},
                    {"nvdimm.nand.fast_program_time", "5us"},
                    {"nvdimm.nand.middle_program_time", "8us"},
                    {"nvdimm.ftl.frontier", "shared"},
                    {"nvdimm.buffer.flush", "writeback"},
                    {"controller.scheduler", "fcfs_strict"},
                    {"frontend.series_interval", "1us"}}),
       {to_dram, block}},
      {with(flash, {{"controller.channels", "2"},
                    {"nvdimm.gc.scheduler", "preemptive"},
                    {"nvdimm.ftl.victim", "cost_benefit"},
                    {"controller.scheduler", "fcfs"},
                    {"controller.page_policy", "capped_page"},
                    {"controller.arbiter", "round_robin"}}),
       {to_dram, block, chase}},
  };
}

}  // namespace hmsim
