// SPDX-License-Identifier: BSD-3-Clause
// Small systems that between them have every part a checkpoint holds the state of.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/random.h"
#include "tests/cc/assignments.h"

namespace hmsim {

struct FuzzedSystem {
  Assignments config;
  std::vector<Assignments> agents;
};

// ChampSim's records of instructions that load, store and wait for each other's registers.
inline std::string fuzzed_instructions() {
  constexpr std::size_t kRecord = 64;
  constexpr std::size_t kDestination = 10;
  constexpr std::size_t kSource = 12;
  constexpr std::size_t kStore = 16;
  constexpr std::size_t kLoad = 32;
  Random random(6);
  std::string trace;
  for (int i = 0; i < 2'000; ++i) {
    std::string record(kRecord, '\0');
    record[0] = static_cast<char>(random.below(20));
    record[kDestination] = static_cast<char>(30 + random.below(12));
    record[kSource] = static_cast<char>(30 + random.below(12));
    const std::size_t address = random.below(3) == 0 ? kStore : kLoad;
    record[address] = static_cast<char>(random.below(256));
    record[address + 1] = static_cast<char>(random.below(64));
    trace += record;
  }
  return trace;
}

// Returns a trace of misses, of blocks or of instructions, or a program of threads, by the name
// that agents use as its path.
inline std::string fuzzed_trace(const std::string& path) {
  if (path == "champsim") {
    return fuzzed_instructions();
  }
  if (path == "job") {
    return "thread a 2\ncompute 300\nsend 0 x 2KiB\nsend 1 x 90B\nwrite 9\nwait x\nload 0x40\n"
           "store 0x4080\nread 3 2\nwait x\nsync\nsleep 2us\nwake y\n"
           "thread b\nread_ahead 20 2\nsleep 3us\nuse 21\nwrite 11 2\nsend 1 z 8KiB\nwait y\n"
           "wait y\ncompute 900\n";
  }
  std::string trace;
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    if (path == "ramulator") {
      trace += std::to_string(random.below(60)) + " " + std::to_string(random.below(1 << 22)) +
               (i % 3 == 0 ? " " + std::to_string(random.below(1 << 22)) + "\n" : "\n");
    } else {  // mqsim
      trace += std::to_string(i * 500) + " 0 " + std::to_string(random.below(1'000)) + " " +
               std::to_string(random.below(16) + 1) + " " + std::to_string(random.below(2)) + "\n";
    }
  }
  return trace;
}

// Returns the table as commands fill it in: the same rate for all patterns.
inline std::string harmonic_table() {
  std::string table = "version 1 dram";
  for (int i = 0; i < 48 + 576; ++i) {
    table += i == 48 ? " nvdimm 100" : " 100";
  }
  return table;
}

using testing::with;

inline const Assignments kFlash{{"nvdimm.capacity", "2MiB"},
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
inline const Assignments kSplit = with(kFlash, {{"controller.queues", "split"}});
inline const Assignments kPcm{{"nvdimm.kind", "pcm"},
                              {"nvdimm.capacity", "1MiB"},
                              {"nvdimm.media.write_queue", "4"},
                              {"nvdimm.media.banks", "2"},
                              {"controller.queue_depth", "24"}};
inline const Assignments kDramAlone{{"nvdimm.present", "false"}, {"controller.queue_depth", "24"}};
inline const Assignments kStream{{"kind", "synthetic"},
                                 {"footprint", "1MiB"},
                                 {"read_ratio", "0.6"},
                                 {"requests", "100000"},
                                 {"outstanding", "24"}};
inline const Assignments kToBoth = with(kStream, {{"target", "system"}});
inline const Assignments kToDram = with(kStream, {{"target", "dram"}});
inline const Assignments kToNvdimm =
    with(kStream, {{"target", "nvdimm"}, {"footprint", "512KiB"}, {"core", "1"}});
inline const Assignments kCore{
    {"kind", "llc_trace"}, {"path", "ramulator"}, {"format", "ramulator"}};
inline const Assignments kProgram{
    {"kind", "cpu_trace"}, {"path", "champsim"}, {"format", "champsim"},
    {"l1.size", "512B"},   {"l1.ways", "2"},     {"l2.size", "1KiB"},
    {"l2.ways", "2"},      {"l2.mshrs", "3"},    {"prefetcher", "stride"}};
inline const Assignments kOwnCache =
    with(kProgram, {{"core", "1"}, {"l3.size", "4KiB"}, {"l3.ways", "4"}, {"l3.mshrs", "3"}});
inline const Assignments kSharedCache = with(kProgram, {{"l3.sharing", "shared"}});
inline const Assignments kPattern{
    {"kind", "io_pattern"}, {"size", "4KiB, 12KiB"}, {"access", "zipf"}, {"read_share", "0.5"},
    {"depth", "3"},         {"flush_every", "2"},    {"core", "3"},      {"footprint", "1MiB"}};
inline const Assignments kBlock{{"kind", "block_trace"}, {"path", "mqsim"}, {"format", "mqsim"},
                                {"window", "20"},        {"core", "1"},     {"driver", "pmbd"}};
inline const Assignments kInferred{{"kind", "block_trace"}, {"path", "mqsim"},
                                   {"format", "mqsim"},     {"core", "1"},
                                   {"replay", "inferred"},  {"old_response", "3us"}};
inline const Assignments kChase{{"kind", "synthetic_core"},
                                {"pattern", "pointer_chase"},
                                {"footprint", "1MiB"},
                                {"rpki", "40"},
                                {"core", "2"}};
inline const Assignments kJob{
    {"kind", "job"},  {"path", "job"},  {"format", "job"}, {"tasks", "2"},
    {"nodes", "0-1"}, {"cores", "0-3"}, {"flushers", "1"}, {"dirty_ratio", "0.0000001"}};

// Queues, schedulers and arbiters with flash.
inline std::vector<FuzzedSystem> fuzzed_schedulers() {
  return {
      {kFlash, {kToDram, kToNvdimm}},
      {kSplit, {kCore, kBlock}},
      {with(kFlash, {{"controller.scheduler", "firm"}, {"controller.writes", "drained"}}),
       {kCore, kToNvdimm}},
      {with(kFlash, {{"controller.scheduler", "tcm"},
                     {"policies.tcm.quantum", "5us"},
                     {"dram.refresh_postpone", "8"},
                     {"dram.ranks", "2"}}),
       {kCore, kToNvdimm}},
      {with(kSplit, {{"controller.scheduler", "par_bs"},
                     {"controller.nvdimm_scheduler", "atlas"},
                     {"policies.atlas.quantum", "5us"},
                     {"controller.arbiter", "oldest_first"},
                     {"controller.starvation_limit", "3us"}}),
       {kChase, kToNvdimm, kToDram}},
      {with(kSplit, {{"controller.nvdimm_scheduler", "pas"},
                     {"controller.arbiter", "harmonic"},
                     {"policies.harmonic.table", harmonic_table()},
                     {"nvdimm.buffer.manager", "prefetch_preevict"},
                     {"nvdimm.buffer.replacement", "lirs"},
                     {"nvdimm.gc.scheduler", "proactive"}}),
       {kCore, kBlock, kToNvdimm}},
      {with(kFlash, {{"controller.scheduler", "bliss"},
                     {"controller.structure", "two_level"},
                     {"controller.page_policy", "closed_page"}}),
       {kToDram, kBlock}},
      {with(kFlash, {{"controller.ack", "nvdimm_p"},
                     {"controller.nvdimm_p.credits", "3"},
                     {"controller.scheduler", "nvm_duet"}}),
       {kToDram, kBlock}},
  };
}

// Kinds of memory and their inner parts.
inline std::vector<FuzzedSystem> fuzzed_memories() {
  return {
      {with(kFlash, {{"system.store_data", "true"},
                     {"nvdimm.capacity", "4MiB"},
                     {"nvdimm.buffer.write_size", "16KiB"},
                     {"nvdimm.ftl.over_provisioning", "150"},
                     {"nvdimm.buffer.granularity", "item"}}),
       {kToDram, kInferred}},
      {with(kFlash, {{"nvdimm.ftl.map", "cached"},
                     {"nvdimm.ftl.map_cache", "4KiB"},
                     {"nvdimm.ftl.over_provisioning", "150"},
                     {"controller.arbiter", "ready_batch"},
                     {"controller.ack", "auto"}}),
       {kToDram, kToNvdimm}},
      {with(kDramAlone, {{"dram.preset", "ddr5_4800b_16gb_x8"},
                         {"dram.refresh_mode", "same_bank"},
                         {"dram.power_down", "fast"},
                         {"dram.ranks", "2"},
                         {"controller.scheduler", "fr_fcfs_cap"},
                         {"controller.address_map", "row|group|bank|rank|column|channel"}}),
       {with(kToDram, {{"interval", "60ns"}}), kCore}},
      {with(kDramAlone, {{"dram.preset", "lpddr5_6400_8gb_x16"},
                         {"dram.refresh_mode", "same_bank"},
                         {"dram.ranks", "2"},
                         {"controller.writes", "drained"}}),
       {with(kToDram, {{"interval", "60ns"}}), kChase}},
      {with(kDramAlone, {{"dram.preset", "hbm3_6400_8h_4gb_x32"}, {"dram.ranks", "2"}}),
       {with(kToDram, {{"interval", "20ns"}}), kChase}},
      {with(kDramAlone, {{"dram.power_down", "fast"},
                         {"dram.self_refresh", "true"},
                         {"dram.self_refresh_idle", "1us"},
                         {"dram.timing.tREFI", "700"},
                         {"dram.refresh_postpone", "3"},
                         {"dram.refresh_pull_in", "2"},
                         {"dram.ranks", "2"},
                         {"controller.page_policy", "timeout_page"},
                         {"controller.writes", "drained"}}),
       {with(kToDram, {{"interval", "90ns"}}), kChase}},
      {kPcm, {kToDram, kToNvdimm}},
      {with(kPcm, {{"controller.ack", "nvdimm_p"}, {"system.store_data", "true"}}),
       {kToBoth, kBlock}},
      {with(kFlash, {{"nvdimm.nand.planes", "2"},
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
       {kToDram, kBlock}},
      {with(kFlash, {{"controller.channels", "2"},
                     {"nvdimm.gc.scheduler", "preemptive"},
                     {"nvdimm.ftl.victim", "cost_benefit"},
                     {"controller.scheduler", "fcfs"},
                     {"controller.page_policy", "capped_page"},
                     {"controller.arbiter", "round_robin"}}),
       {kToDram, kBlock, kChase}},
  };
}

// Jobs, on one node and on several.
inline std::vector<FuzzedSystem> fuzzed_nodes() {
  return {
      {with(kFlash, {{"frontend.nodes.count", "2"},
                     {"frontend.network.latency", "2us"},
                     {"frontend.node.machine", "prefetch"},
                     {"frontend.node.quantum", "1us"},
                     {"frontend.node.switch_time", "200ns"}}),
       {kJob, with(kBlock, {{"core", "4"}, {"node", "1"}})}},
      {with(kFlash, {{"frontend.nodes.count", "2"},
                     {"frontend.nodes.memory", "shared"},
                     {"frontend.network.latency", "2us"},
                     {"frontend.node.machine", "dma"},
                     {"frontend.node.persistence", "module"}}),
       {kJob, with(kCore, {{"core", "4"}, {"node", "1"}})}},
      {with(kFlash, {{"frontend.node.wake", "queues"}}),
       {with(kJob, {{"nodes", "0"}, {"flushers", "0"}})}},
  };
}

// Cores with caches, and generated requests.
inline std::vector<FuzzedSystem> fuzzed_cores() {
  return {
      {with(kDramAlone, {{"frontend.cache.l3.size", "4KiB"},
                         {"frontend.cache.l3.ways", "4"},
                         {"frontend.cache.l3.mshrs", "3"}}),
       {kSharedCache, kOwnCache, with(kSharedCache, {{"core", "2"}})}},
      {with(kFlash, {{"frontend.translation", "first_touch"}}),
       {kOwnCache, kPattern, {{"kind", "pattern"}, {"target", "nvdimm"}, {"core", "2"}}}},
  };
}

// Block storage, with every kind of pending work.
inline std::vector<FuzzedSystem> fuzzed_storage() {
  return {
      {{{"nvdimm.present", "false"},
        {"storage.kind", "array"},
        {"storage.capacity", "64MiB"},
        {"storage.path.driver", "moneta_nosched"},
        {"storage.path.contexts", "2"},
        {"storage.path.max_request", "4KiB"},
        {"storage.array.tags", "3"},
        {"storage.array.queues", "2"},
        {"storage.array.order", "balance"},
        {"storage.memory.wake_up", "8ns"}},
       {with(kBlock, {{"threads", "6"}})}},
      {{{"nvdimm.present", "false"},
        {"storage.kind", "flash"},
        {"storage.capacity", "4MiB"},
        {"storage.flash.capacity", "8MiB"},
        {"storage.flash.nand.pages_per_block", "16"},
        {"storage.flash.ftl.over_provisioning", "60"},
        {"storage.flash.buffer.read_size", "64KiB"},
        {"storage.flash.buffer.write_size", "64KiB"},
        {"storage.flash.pages", "8"}},
       {with(kBlock, {{"threads", "6"}})}},
      {{{"nvdimm.present", "false"},
        {"storage.kind", "disk"},
        {"storage.capacity", "64MiB"},
        {"storage.stripe.members", "2"},
        {"storage.stripe.bus", "5us"},
        {"storage.write_cache.size", "64KiB"},
        {"storage.cache.first", "64KiB"},
        {"storage.cache.second", "128KiB"},
        {"storage.cache.read_ahead", "4"},
        {"storage.cache.reserve", "16KiB"},
        {"storage.cache.replacement", "lirs"}},
       {with(kBlock, {{"threads", "6"}})}},
      {{{"nvdimm.present", "false"},
        {"storage.kind", "table"},
        {"storage.capacity", "64MiB"},
        {"storage.path.driver", "moneta_base"},
        {"storage.path.spin_up_to", "4KiB"}},
       {with(kJob, {{"nodes", "0"}})}},
      {{{"nvdimm.present", "false"},
        {"storage.kind", "table"},
        {"storage.capacity", "64MiB"},
        {"storage.paging.memory", "64KiB"},
        {"storage.paging.write_cluster", "4"},
        {"storage.paging.read_cluster", "4"}},
       {with(kCore, {{"paged", "true"}}), with(kCore, {{"core", "1"}, {"paged", "true"}})}},
  };
}

inline std::vector<FuzzedSystem> fuzzed_systems() {
  std::vector<FuzzedSystem> all;
  for (const auto& some :
       {fuzzed_schedulers(), fuzzed_memories(), fuzzed_nodes(), fuzzed_cores(), fuzzed_storage()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  // A changed time may be years in the future, and the checker processes each refresh until then.
  for (FuzzedSystem& system : all) {
    system.config = with(system.config, {{"frontend.time_limit", "100ms"}});
  }
  return all;
}

}  // namespace hmsim
