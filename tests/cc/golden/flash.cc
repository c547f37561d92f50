// SPDX-License-Identifier: BSD-3-Clause
// Golden runs of an NVDIMM's buffer, its flash, and flash failures.
#include "tests/cc/assignments.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

namespace {

Assignments flash(const Assignments& more) { return with(kGoldenFlash, more); }

Assignments nand(const char* key, const char* value, const Assignments& more = {}) {
  return flash(with({{std::string("nvdimm.nand.") + key, value}}, more));
}

// Each item that is written back takes a page.
Assignments items(const Assignments& more) {
  return flash(with({{"nvdimm.buffer.granularity", "item"},
                     {"nvdimm.buffer.write_size", "4KiB"},
                     {"nvdimm.ftl.over_provisioning", "150"}},
                    more));
}

Assignments large_pages(const char* size, const char* partial_writes, const Assignments& more) {
  return nand("page_size", size,
              with({{"nvdimm.nand.pages_per_block", "8"},
                    {"nvdimm.capacity", "8MiB"},
                    {"nvdimm.ftl.over_provisioning", "250"},
                    {"nvdimm.ftl.partial_writes", partial_writes}},
                   more));
}

std::vector<GoldenCase> buffers() {
  const auto traffic =
      joined(agents::nvdimm_only(), {agents::lines("3", "nvdimm", "96KiB", "0.7")});
  // LUNs are idle at times.
  const agents::List leisure{agents::seldom("0", "nvdimm", "400ns"),
                             agents::seldom("1", "dram", "100ns")};
  return {
      {"on_demand", flash({}), traffic},
      {"preevict", flash({{"nvdimm.buffer.manager", "preevict"}}), traffic},
      {"on_demand_at_leisure", flash({}), leisure},
      {"preevict_below_60_percent",
       flash({{"nvdimm.buffer.manager", "preevict"}, {"policies.preevict.low_water", "60"}}),
       leisure},
      {"watermark", flash({{"nvdimm.buffer.manager", "watermark"}}), leisure},
      {"prefetch", flash({{"nvdimm.buffer.manager", "prefetch"}}), traffic},
      {"prefetch_into_few_frames",
       flash({{"nvdimm.buffer.manager", "prefetch"}, {"nvdimm.buffer.read_size", "24KiB"}}),
       traffic},
      {"prefetch_preevict",
       flash({{"nvdimm.buffer.manager", "prefetch_preevict"},
              {"policies.prefetch_preevict.low_water", "30"},
              {"nvdimm.buffer.replacement", "lirs"}}),
       traffic},
      {"prefetch_preevict_split_queues",
       flash({{"nvdimm.buffer.manager", "prefetch_preevict"},
              {"controller.queues", "split"},
              {"controller.arbiter", "dram_first"},
              {"controller.nvdimm_scheduler", "pas"}}),
       traffic},
      {"lirs", flash({{"nvdimm.buffer.replacement", "lirs"}}), traffic},
      {"lirs_with_few_ghosts",
       flash({{"nvdimm.buffer.replacement", "lirs"},
              {"policies.lirs.high_share", "25"},
              {"policies.lirs.ghosts", "50"}}),
       traffic},
      {"items", items({{"nvdimm.buffer.read_size", "8KiB"}}), traffic},
      {"items_lirs_prefetched",
       items(
           {{"nvdimm.buffer.replacement", "lirs"}, {"nvdimm.buffer.manager", "prefetch_preevict"}}),
       traffic},
      {"serial_lookups",
       flash({{"nvdimm.buffer.port", "serial"}, {"nvdimm.buffer.lookup", "110ns"}}), traffic},
      {"release_after_data_in",
       flash({{"nvdimm.buffer.release", "datain"}, {"nvdimm.buffer.write_size", "16KiB"}}),
       traffic},
      {"flush_writes_back", flash({{"nvdimm.buffer.flush", "writeback"}}),
       joined(traffic, {agents::blocks("4", "random", "0.3", "2")})},
      {"unwritten_pages_are_zero",
       flash({{"nvdimm.unmapped_read", "zero"},
              {"nvdimm.precondition.fill", "0.3"},
              {"nvdimm.precondition.overwrite", "0"}}),
       traffic},
      {"unwritten_pages_are_read",
       flash({{"nvdimm.precondition.fill", "0"}, {"nvdimm.precondition.overwrite", "0"}}), traffic},
      {"few_commands", flash({{"nvdimm.command_queue", "6"}, {"controller.queue_depth", "6"}}),
       traffic},
      {"data_are_stored", flash({{"system.store_data", "true"}}), traffic},
  };
}

std::vector<GoldenCase> chips() {
  const auto traffic = agents::writes();
  const Assignments planes{{"nvdimm.nand.planes", "2"}, {"nvdimm.nand.pages_per_block", "8"}};
  const Assignments dies{{"nvdimm.nand.dies", "2"}, {"nvdimm.nand.pages_per_block", "8"}};
  const Assignments middle{{"nvdimm.nand.fast_read_time", "300ns"},
                           {"nvdimm.nand.middle_read_time", "400ns"},
                           {"nvdimm.nand.fast_program_time", "700ns"},
                           {"nvdimm.nand.middle_program_time", "1us"}};
  const Assignments fast{{"nvdimm.nand.fast_read_time", "300ns"},
                         {"nvdimm.nand.fast_program_time", "700ns"}};
  return {
      {"static_allocation", flash({{"nvdimm.ftl.allocation", "static"}}), traffic},
      {"stripe_order",
       flash(with(dies, {{"nvdimm.ftl.order", "PDWC"}, {"nvdimm.ftl.allocation", "static"}})),
       traffic},
      {"dies", flash(dies), traffic},
      {"chips", nand("chips", "2", {{"nvdimm.nand.pages_per_block", "8"}}), traffic},
      {"planes", flash(planes), traffic},
      {"multi_plane", flash(with(planes, {{"nvdimm.nand.multi_plane", "true"}})), traffic},
      {"multi_plane_cached",
       flash(with(planes, {{"nvdimm.nand.multi_plane", "true"},
                           {"nvdimm.nand.cache", "true"},
                           {"nvdimm.nand.cache_busy_time", "200ns"}})),
       traffic},
      {"cache_register", nand("cache", "true", {{"nvdimm.nand.cache_busy_time", "200ns"}}),
       traffic},
      {"interface_sdr", nand("interface", "sdr", {{"nvdimm.nand.mode", "2"}}), traffic},
      {"interface_nv_ddr", nand("interface", "nv_ddr", {{"nvdimm.nand.mode", "4"}}), traffic},
      {"interface_nv_ddr2", nand("interface", "nv_ddr2", {{"nvdimm.nand.mode", "6"}}), traffic},
      {"interface_nv_ddr3",
       nand("interface", "nv_ddr3",
            {{"nvdimm.nand.mode", "11"}, {"nvdimm.nand.transfer_spare", "true"}}),
       traffic},
      {"cells_cmlc", nand("program_model", "cmlc", fast), traffic},
      {"cells_mlc", nand("program_model", "mlc", fast), traffic},
      {"cells_tlc", nand("program_model", "tlc", middle), traffic},
      {"cells_qlc", nand("program_model", "qlc", middle), traffic},
      {"cells_vary_by_15_percent", nand("variation", "15", {}), traffic},
      {"cells_vary_in_planes", nand("variation", "15", planes), traffic},
      {"preset_z_nand",
       {{"nvdimm.capacity", "16MiB"},
        {"nvdimm.nand.preset", "z_nand"},
        {"nvdimm.nand.channels", "1"},
        {"nvdimm.nand.chips", "1"},
        {"nvdimm.nand.pages_per_block", "64"},
        {"nvdimm.ftl.over_provisioning", "60"},
        {"nvdimm.buffer.read_size", "64KiB"},
        {"nvdimm.buffer.write_size", "64KiB"}},
       traffic},
      {"pages_8k_combined", large_pages("8KiB", "combine", {}), traffic},
      {"pages_8k_padded", large_pages("8KiB", "pad", {}), traffic},
      {"pages_8k_merged", large_pages("8KiB", "merge", {}), traffic},
      {"pages_16k_combined",
       large_pages("16KiB", "combine",
                   {{"nvdimm.nand.spare", "512"}, {"nvdimm.nand.transfer_spare", "true"}}),
       traffic},
      {"pages_16k_merged_copyback",
       large_pages("16KiB", "merge", {{"nvdimm.gc.scheduler", "reactive_copyback"}}), traffic},
      {"pages_16k_items", large_pages("16KiB", "merge", {{"nvdimm.buffer.granularity", "item"}}),
       traffic},
  };
}

std::vector<GoldenCase> failures() {
  const auto traffic = agents::writes();
  const Assignments bad{{"nvdimm.ftl.over_provisioning", "150"}, {"nvdimm.capacity", "4MiB"}};
  return {
      {"suspended_erases",
       nand("suspend", "erase",
            {{"nvdimm.nand.suspend_time", "300ns"}, {"nvdimm.nand.resume_time", "100ns"}}),
       traffic},
      {"suspended_programs",
       nand("suspend", "program",
            {{"nvdimm.nand.suspend_time", "200ns"}, {"nvdimm.nand.suspend_limit", "2"}}),
       traffic},
      {"all_suspended",
       nand("suspend", "both",
            {{"nvdimm.nand.suspend_time", "100ns"}, {"nvdimm.nand.cache", "true"}}),
       traffic},
      {"read_retries",
       nand("read_retry", "0.7",
            {{"nvdimm.nand.endurance", "3"}, {"nvdimm.nand.read_retry_limit", "3"}}),
       traffic},
      {"ecc", nand("ecc_time", "900ns"), traffic},
      {"factory_bad_blocks", nand("factory_bad", "0.08", bad), traffic},
      {"program_failures", nand("program_failure", "0.01", bad), traffic},
      {"program_failures_multi_plane",
       nand("program_failure", "0.01",
            with(bad, {{"nvdimm.nand.planes", "2"},
                       {"nvdimm.nand.multi_plane", "true"},
                       {"nvdimm.nand.pages_per_block", "8"}})),
       traffic},
      {"program_failures_of_16k_pages",
       large_pages("16KiB", "combine",
                   {{"nvdimm.nand.program_failure", "0.01"}, {"nvdimm.nand.factory_bad", "0.05"}}),
       traffic},
      {"blocks_wear_out",
       nand("wear_failure", "0.2",
            with(bad, {{"nvdimm.nand.endurance", "2"}, {"nvdimm.ftl.victim", "greedy"}})),
       traffic},
  };
}

}  // namespace

GoldenGroup golden_flash() {
  return {"flash", 500 * kMicrosecond, joined(joined(buffers(), chips()), failures())};
}

}  // namespace hmsim::testing
