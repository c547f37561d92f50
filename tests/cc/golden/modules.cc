// SPDX-License-Identifier: BSD-3-Clause
// Golden runs of byte-addressable media, of several NVDIMMs on a channel, and of power failures.
#include "tests/cc/assignments.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

namespace {

Assignments medium(const char* kind, const Assignments& more = {}) {
  return with({{"nvdimm.kind", kind},
               {"nvdimm.capacity", "1MiB"},
               {"nvdimm.media.banks", "4"},
               {"nvdimm.media.write_queue", "8"},
               {"controller.queue_depth", "32"},
               {"controller.nvdimm_queue_depth", "24"}},
              more);
}

Assignments several(const char* count, const char* interleave, const Assignments& more = {}) {
  return with(with(kGoldenFlash, {{"nvdimm.count", count}, {"nvdimm.interleave", interleave}}),
              more);
}

std::vector<GoldenCase> media() {
  const auto traffic = agents::nvdimm_only();
  return {
      {"pcm", medium("pcm"), traffic},
      {"sttram", medium("sttram"), traffic},
      {"pcm_gaps_move_often",
       medium("pcm", {{"nvdimm.media.start_gap.psi", "3"},
                      {"nvdimm.media.start_gap.regions", "4"},
                      {"nvdimm.media.write_time", "150ns"}}),
       traffic},
      {"pcm_gaps_in_order",
       medium("pcm", {{"nvdimm.media.start_gap.psi", "2"},
                      {"nvdimm.media.start_gap.randomised", "false"}}),
       {agents::lines("0", "nvdimm", "4KiB", "0.3")}},
      {"pcm_without_levelling", medium("pcm", {{"nvdimm.media.start_gap.psi", "off"}}), traffic},
      {"pcm_one_bank",
       medium("pcm", {{"nvdimm.media.banks", "1"}, {"nvdimm.media.command_time", "20ns"}}),
       traffic},
      {"pcm_wide_interleave",
       medium("pcm", {{"nvdimm.media.interleave", "4KiB"}, {"nvdimm.media.write_queue", "1"}}),
       traffic},
      {"pcm_lines_of_256_bytes",
       medium("pcm", {{"nvdimm.media.line", "256B"},
                      {"nvdimm.media.interleave", "256B"},
                      {"nvdimm.media.line_buffer", "8"},
                      {"nvdimm.media.start_gap.psi", "3"}}),
       traffic},
      {"pcm_nvdimm_p",
       medium("pcm", {{"controller.ack", "nvdimm_p"}, {"controller.nvdimm_p.credits", "4"}}),
       joined(traffic, {agents::blocks("4", "random", "0.2", "1")})},
      {"pcm_split_pas",
       medium("pcm", {{"controller.queues", "split"},
                      {"controller.arbiter", "dram_first"},
                      {"controller.nvdimm_scheduler", "pas"}}),
       agents::mix()},
      {"pcm_auto_ack_flushed", medium("pcm", {{"controller.ack", "auto"}}),
       joined(traffic, {agents::blocks("4", "random", "0.2", "1")})},
      {"sttram_firm",
       medium("sttram", {{"controller.scheduler", "firm"}, {"policies.firm.interval", "3us"}}),
       agents::mix()},
      {"pcm_stores_data", medium("pcm", {{"system.store_data", "true"}}), traffic},
  };
}

std::vector<GoldenCase> groups() {
  const auto traffic = joined(agents::mix(), {agents::blocks("6", "random", "0.3", "2")});
  return {
      {"two_by_page", several("2", "page"), traffic},
      {"three_by_device", several("3", "device"), traffic},
      {"two_by_range", several("2", "range", {{"nvdimm.interleave_size", "16KiB"}}), traffic},
      {"four_split_pas",
       several("4", "page",
               {{"controller.queues", "split"},
                {"controller.arbiter", "dram_first"},
                {"controller.nvdimm_scheduler", "pas"}}),
       traffic},
      {"two_nvdimm_p",
       several("2", "page", {{"controller.ack", "nvdimm_p"}, {"controller.nvdimm_p.credits", "3"}}),
       traffic},
      {"unlike_flash",
       several("2", "device", {{"nvdimm.devices", "1: nand.program_time=5us, nand.channels=1"}}),
       traffic},
      {"flash_and_pcm",
       several("3", "device",
               {{"nvdimm.devices", "1: kind=pcm, capacity=1MiB; 2: buffer.lookup=7ns"},
                {"controller.ack", "auto"}}),
       traffic},
      {"two_channels_of_two",
       several("2", "page", {{"controller.channels", "2"}, {"nvdimm.gc.scheduler", "proactive"}}),
       traffic},
      {"two_proactive_prefetched",
       several(
           "2", "page",
           {{"nvdimm.gc.scheduler", "proactive"}, {"nvdimm.buffer.manager", "prefetch_preevict"}}),
       traffic},
  };
}

// High bandwidth flash beside HBM3: 4 banks of 32 blocks of 16 pages.
Assignments stacked(const Assignments& more) {
  return with({{"nvdimm.attach", "hbf"},
               {"nvdimm.capacity", "8MiB"},
               {"nvdimm.nand.preset", "hbf_256"},
               {"nvdimm.nand.pages_per_block", "16"},
               {"nvdimm.nand.read_time", "500ns"},
               {"nvdimm.nand.program_time", "1500ns"},
               {"nvdimm.nand.erase_time", "4us"},
               {"hbf.banks", "4"},
               {"dram.preset", "hbm3_6400_4h_2gb_x32"},
               {"dram.ranks", "2"},
               {"controller.queues", "split"},
               {"controller.arbiter", "oldest_first"},
               {"controller.queue_depth", "48"},
               {"controller.nvdimm_queue_depth", "24"}},
              more);
}

std::vector<GoldenCase> stacked_flash() {
  const auto pages = [](const char* core, const char* access, const char* read_share) {
    return agents::of_core(core, {{"kind", "io_pattern"},
                                  {"access", access},
                                  {"read_share", read_share},
                                  {"size", "4KiB/2, 16KiB"},
                                  {"threads", "2"},
                                  {"depth", "4"},
                                  {"window", "8"},
                                  {"footprint", "3MiB"},
                                  {"request_time", "500ns"},
                                  {"software_time", "50ns"}});
  };
  const agents::List writes{pages("0", "random", "0.4"), pages("1", "zipf", "0.3"),
                            agents::program("2", "stream", "30")};
  const agents::List reads{agents::lines("0", "nvdimm", "128KiB", "1", "24"),
                           agents::lines("1", "nvdimm", "4MiB", "1", "8"),
                           agents::program("2", "random", "40")};
  const agents::List parts{pages("0", "random", "0.4"),
                           agents::lines("1", "nvdimm", "128KiB", "0.5", "16"),
                           agents::lines("2", "nvdimm", "1MiB", "0.3", "12")};
  const Assignments host{{"hbf.ftl", "host"},
                         {"hbf.map_in", "hbm"},
                         {"hbf.erased_at_start", "false"},
                         {"nvdimm.ftl.over_provisioning", "80"},
                         {"nvdimm.precondition.fill", "1"},
                         {"nvdimm.precondition.overwrite", "1"}};
  return {
      {"hbf_host_ftl", stacked(host), writes},
      {"hbf_host_ftl_fails",
       stacked(with(host, {{"nvdimm.nand.program_failure", "0.01"},
                           {"hbf.refresh", "paced_refresh"},
                           {"hbf.refresh_every", "400us"},
                           {"host.queue", "shared"}})),
       writes},
      {"hbf_host_parts",
       stacked(with(host, {{"hbf.accumulate", "3us"}, {"hbf.pending_writes", "4"}})), parts},
      {"hbf_bank_cache",
       stacked({{"controller.nvdimm_scheduler", "bank_cache"}, {"hbf.outstanding", "4"}}), reads},
      {"hbf_fr_fcfs",
       stacked({{"controller.nvdimm_scheduler", "fr_fcfs"}, {"hbf.outstanding", "4"}}), reads},
  };
}

// Runs without agents, in which power fails and returns several times.
std::vector<GoldenCase> power_failures() {
  const Assignments data{{"system.store_data", "true"},
                         {"nvdimm.precondition.fill", "0.5"},
                         {"nvdimm.precondition.overwrite", "0"}};
  const auto flash = [&](const Assignments& more) { return with(with(kGoldenFlash, data), more); };
  return {
      {"power_fails", flash({}), {}},
      {"power_fails_items",
       flash({{"nvdimm.buffer.granularity", "item"},
              {"nvdimm.buffer.write_size", "4KiB"},
              {"nvdimm.buffer.manager", "preevict"},
              {"nvdimm.ftl.over_provisioning", "150"}}),
       {}},
      {"power_fails_cached_map",
       flash({{"nvdimm.ftl.map", "cached"},
              {"nvdimm.ftl.map_cache", "256B"},
              {"nvdimm.ftl.map_entry", "64B"},
              {"nvdimm.ftl.over_provisioning", "150"}}),
       {}},
      {"power_fails_planes",
       flash({{"nvdimm.nand.planes", "2"},
              {"nvdimm.nand.multi_plane", "true"},
              {"nvdimm.nand.cache", "true"},
              {"nvdimm.nand.pages_per_block", "8"}}),
       {}},
      {"power_fails_16k_pages",
       flash({{"nvdimm.nand.page_size", "16KiB"},
              {"nvdimm.nand.pages_per_block", "8"},
              {"nvdimm.capacity", "16MiB"},
              {"nvdimm.ftl.over_provisioning", "300"},
              {"nvdimm.ftl.partial_writes", "merge"}}),
       {}},
      {"power_fails_bad_blocks",
       flash({{"nvdimm.nand.program_failure", "0.01"},
              {"nvdimm.nand.factory_bad", "0.05"},
              {"nvdimm.capacity", "4MiB"},
              {"nvdimm.ftl.over_provisioning", "150"}}),
       {}},
      {"power_fails_drained_nvdimm_p",
       flash({{"controller.ack", "nvdimm_p"},
              {"controller.writes", "drained"},
              {"nvdimm.ftl.over_provisioning", "120"}}),
       {}},
      {"power_fails_pcm", medium("pcm", {{"system.store_data", "true"}}), {}},
      {"power_fails_two_modules",
       with(several("2", "page", data), {{"nvdimm.devices", "1: nand.program_time=5us"}}),
       {}},
  };
}

}  // namespace

GoldenGroup golden_modules() {
  return {"modules", 120 * kMicrosecond,
          joined(joined(media(), groups()), joined(stacked_flash(), power_failures()))};
}

}  // namespace hmsim::testing
