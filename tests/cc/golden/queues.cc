// SPDX-License-Identifier: BSD-3-Clause
// Golden runs of the channel: its queues, transaction schedulers, arbiters, page policies, acks.
#include "policies/monitors/performance_table.h"
#include "tests/cc/assignments.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

namespace {

// Rates that rise with depth and differ between patterns.
std::string rates() {
  std::string text = "version 1 dram";
  for (std::size_t cell = 0; cell < kDramCells; ++cell) {
    text += ' ' + std::to_string(20'000 + 7'919 * (cell % 6) + 613 * (cell / 6));
  }
  text += " nvdimm";
  for (std::size_t cell = 0; cell < kNvdimmCells; ++cell) {
    text += ' ' + std::to_string(900 + 331 * (cell % 6) + 17 * (cell / 6));
  }
  return text;
}

Assignments unified(const Assignments& more) { return with(kGoldenFlash, more); }

Assignments split(const Assignments& more) {
  return with(unified({{"controller.queues", "split"}, {"controller.arbiter", "oldest_first"}}),
              more);
}

Assignments scheduler(const char* name, const Assignments& more = {}) {
  return with(unified({{"controller.scheduler", name}, {"dram.ranks", "2"}}), more);
}

// Each class has a separate queue, so the arbiter is asked.
Assignments arbiter(const char* name, const Assignments& more = {}) {
  return with(split({{"controller.arbiter", name}}), more);
}

std::vector<GoldenCase> schedulers() {
  return {
      {"fr_fcfs", scheduler("fr_fcfs"), agents::mix()},
      {"fcfs", scheduler("fcfs"), agents::mix()},
      {"fcfs_strict", scheduler("fcfs_strict"), agents::mix()},
      {"fr_fcfs_cap", scheduler("fr_fcfs_cap"), agents::mix()},
      {"fr_fcfs_cap_of_one", scheduler("fr_fcfs_cap", {{"policies.fr_fcfs_cap.cap", "1"}}),
       agents::mix()},
      {"par_bs", scheduler("par_bs"), agents::mix()},
      {"par_bs_batches_of_reads",
       scheduler("par_bs", {{"policies.par_bs.marks", "reads"},
                            {"policies.par_bs.marking_cap", "2"},
                            {"policies.par_bs.sources", "core"}}),
       agents::mix()},
      {"bliss", scheduler("bliss", {{"policies.bliss.clearing_interval", "2us"}}), agents::mix()},
      {"bliss_by_class",
       scheduler("bliss", {{"policies.bliss.threshold", "2"}, {"policies.bliss.sources", "class"}}),
       agents::mix()},
      {"atlas",
       scheduler("atlas", {{"policies.atlas.quantum", "4us"}, {"policies.atlas.threshold", "6us"}}),
       agents::mix()},
      {"atlas_counts_banks",
       scheduler("atlas", {{"policies.atlas.quantum", "3us"},
                           {"policies.atlas.history", "0.5"},
                           {"policies.atlas.threshold", "3us"},
                           {"policies.atlas.nvdimm_service", "bank"},
                           {"policies.atlas.sources", "core"}}),
       agents::mix()},
      {"tcm", scheduler("tcm", {{"policies.tcm.quantum", "4us"}}), agents::mix()},
      {"tcm_counts_banks",
       scheduler("tcm", {{"policies.tcm.quantum", "3us"},
                         {"policies.tcm.shuffle_interval", "150ns"},
                         {"policies.tcm.cluster_threshold", "0.3"},
                         {"policies.tcm.shuffle_threshold", "0"},
                         {"policies.tcm.nvdimm_service", "bank"},
                         {"policies.tcm.sources", "core"}}),
       agents::mix()},
      {"tcm_insertion_shuffle",
       scheduler("tcm", {{"policies.tcm.quantum", "3us"},
                         {"policies.tcm.cluster_threshold", "0.05"},
                         {"policies.tcm.shuffle_threshold", "0.01"}}),
       agents::mix()},
      {"firm", scheduler("firm", {{"policies.firm.interval", "4us"}}),
       joined(agents::mix(), {agents::blocks("6", "sequential", "0", "3")})},
      {"firm_of_cores",
       scheduler("firm", {{"policies.firm.interval", "3us"},
                          {"policies.firm.turnaround_share", "60"},
                          {"policies.firm.batch_cap", "3"},
                          {"policies.firm.batch_age", "700ns"},
                          {"policies.firm.write_mark", "30"},
                          {"policies.firm.sources", "core"}}),
       agents::mix()},
      {"nvm_duet", scheduler("nvm_duet"),
       joined(agents::mix(), {agents::blocks("6", "sequential", "0", "3")})},
      {"nvm_duet_with_marks",
       scheduler("nvm_duet",
                 {{"policies.nvm_duet.write_high", "6"}, {"policies.nvm_duet.write_low", "2"}}),
       agents::mix()},
      {"pas", split({{"controller.nvdimm_scheduler", "pas"}}), agents::mix()},
      {"pas_after_any_miss",
       split({{"controller.nvdimm_scheduler", "pas"},
              {"policies.pas.trigger", "any_miss"},
              {"policies.pas.return_after", "2"},
              {"policies.pas.slack", "40"}}),
       agents::mix()},
      {"pas_in_one_queue", scheduler("pas"), agents::mix()},
      {"split_atlas_and_firm",
       split({{"controller.scheduler", "atlas"},
              {"policies.atlas.quantum", "4us"},
              {"controller.nvdimm_scheduler", "firm"},
              {"policies.firm.interval", "4us"}}),
       agents::mix()},
      {"split_fcfs_and_par_bs",
       split({{"controller.scheduler", "fcfs"}, {"controller.nvdimm_scheduler", "par_bs"}}),
       agents::mix()},
  };
}

std::vector<GoldenCase> arbiters() {
  const Assignments table{{"policies.harmonic.table", rates()},
                          {"policies.harmonic.window", "64"},
                          {"policies.harmonic.window_cycles", "900"}};
  return {
      {"arbiter_scheduler_order", arbiter("scheduler_order"), agents::mix()},
      {"arbiter_dram_first", arbiter("dram_first"), agents::mix()},
      {"arbiter_oldest_first", arbiter("oldest_first"), agents::mix()},
      {"arbiter_round_robin", arbiter("round_robin"), agents::mix()},
      {"arbiter_ready_batch", arbiter("ready_batch", {{"policies.ready_batch.batch", "2"}}),
       agents::mix()},
      {"arbiter_ready_batch_impatient",
       arbiter("ready_batch",
               {{"policies.ready_batch.batch", "5"}, {"policies.ready_batch.patience", "150"}}),
       agents::mix()},
      {"arbiter_harmonic", arbiter("harmonic", table), agents::mix()},
      {"arbiter_harmonic_of_stages",
       arbiter("harmonic", with(table, {{"policies.harmonic.impl", "table"},
                                        {"policies.harmonic.weight", "0.9"}})),
       agents::mix()},
      {"arbiter_harmonic_with_guard",
       arbiter("harmonic", with(table, {{"policies.harmonic.guard", "true"},
                                        {"policies.harmonic.dram_guard", "60"},
                                        {"policies.harmonic.nvdimm_guard", "90"}})),
       agents::mix()},
      {"arbiter_of_what_is_legal",
       arbiter("round_robin", {{"controller.contest", "legal"}, {"dram.ranks", "2"}}),
       agents::mix()},
  };
}

std::vector<GoldenCase> channels() {
  return {
      {"two_level",
       unified({{"controller.structure", "two_level"},
                {"controller.command_queue_depth", "8"},
                {"dram.ranks", "2"}}),
       agents::mix()},
      {"two_level_split",
       split({{"controller.structure", "two_level"},
              {"controller.command_queue_depth", "6"},
              {"controller.nvdimm_scheduler", "pas"}}),
       agents::mix()},
      {"few_commands_of_a_rank", unified({{"controller.command_queue_depth", "2"}}),
       joined(agents::mix(), {agents::lines("6", "dram", "4MiB", "0.5", "24")})},
      {"drained_writes", unified({{"controller.writes", "drained"}, {"dram.ranks", "2"}}),
       agents::mix()},
      {"drained_writes_with_marks",
       split({{"controller.writes", "drained"},
              {"controller.drain_high", "7"},
              {"controller.drain_low", "0"}}),
       agents::mix()},
      {"closed_page", unified({{"controller.page_policy", "closed_page"}}), agents::mix()},
      {"capped_page",
       unified({{"controller.page_policy", "capped_page"}, {"policies.capped_page.cap", "2"}}),
       agents::mix()},
      {"timeout_page",
       unified({{"controller.page_policy", "timeout_page"},
                {"policies.timeout_page.timeout", "60ns"},
                {"controller.writes", "drained"}}),
       agents::dram_only()},
      {"xor_of_banks", unified({{"controller.bank_hash", "xor"}}), agents::mix()},
      {"two_channels",
       unified({{"controller.channels", "2"},
                {"controller.address_map", "row|rank|bank|column|channel"}}),
       joined(agents::mix(), {agents::blocks("6", "sequential", "0.3", "2")})},
      {"ack_auto", unified({{"controller.ack", "auto"}}), agents::mix()},
      {"ack_without_a_slot", split({{"controller.ack_slots", "0"}}), agents::mix()},
      {"ack_nvdimm_p", unified({{"controller.ack", "nvdimm_p"}}), agents::mix()},
      {"ack_nvdimm_p_of_few_credits",
       split({{"controller.ack", "nvdimm_p"},
              {"controller.nvdimm_p.credits", "3"},
              {"controller.nvdimm_p.response_cycles", "6"}}),
       agents::mix()},
      {"one_outstanding", unified({{"controller.outstanding", "1"}}), agents::mix()},
      {"private_buses", split({{"controller.bus", "private"}}), agents::mix()},
      {"starvation_limit",
       unified({{"controller.starvation_limit", "1us"}, {"controller.scheduler", "fr_fcfs"}}),
       agents::mix()},
      {"starvation_limit_split",
       split({{"controller.starvation_limit", "2us"}, {"controller.arbiter", "dram_first"}}),
       agents::mix()},
      {"flushes", unified({}),
       joined(agents::mix(), {agents::blocks("6", "random", "0.2", "1"),
                              agents::blocks("7", "sequential", "0", "3")})},
      {"flushes_split",
       split({{"controller.ack", "nvdimm_p"}, {"nvdimm.buffer.flush", "writeback"}}),
       joined(agents::nvdimm_only(), {agents::blocks("7", "sequential", "0", "2")})},
  };
}

}  // namespace

GoldenGroup golden_queues() {
  return {"queues", 100 * kMicrosecond, joined(joined(schedulers(), arbiters()), channels())};
}

}  // namespace hmsim::testing
