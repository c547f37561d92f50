// SPDX-License-Identifier: BSD-3-Clause
// Golden runs of DRAM: every standard, refresh modes, low-power states.
#include "tests/cc/assignments.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

namespace {

Assignments part(const char* preset, const Assignments& more = {}) {
  return with({{"nvdimm.present", "false"},
               {"controller.queue_depth", "24"},
               {"dram.preset", preset},
               {"dram.ranks", "2"}},
              more);
}

// Returns a preset with refreshes frequent enough to interact with every other command.
Assignments often_refreshed(const char* preset, const Assignments& more) {
  return part(preset, with({{"dram.timing.tREFI", "700"}, {"dram.timing.tRFC", "90"}}, more));
}

const std::vector<Assignments> kSeldom{agents::seldom("0", "dram", "350ns"),
                                       agents::program("1", "pointer_chase", "1")};

std::vector<GoldenCase> standards() {
  const auto traffic = agents::dram_only();
  return {
      {"ddr3", part("ddr3_1600k_4gb_x8"), traffic},
      {"ddr3_slow_x4", part("ddr3_800d_1gb_x4", {{"dram.ranks", "4"}}), traffic},
      {"ddr4", part("ddr4_2400r_8gb_x8"), traffic},
      {"ddr4_x16_drained", part("ddr4_3200aa_16gb_x16", {{"controller.writes", "drained"}}),
       traffic},
      {"drained_writes_of_seldom_traffic",
       part("table3", {{"controller.writes", "drained"},
                       {"controller.drain_high", "8"},
                       {"controller.drain_low", "0"}}),
       {agents::seldom("0", "dram", "70ns"), agents::seldom("1", "dram", "70ns"),
        agents::seldom("2", "dram", "230ns"), agents::seldom("3", "dram", "230ns")}},
      {"ddr4_group_beside_row",
       part("ddr4_2400r_8gb_x8",
            {{"controller.address_map", "row|group|bank|rank|column|channel"}}),
       traffic},
      {"ddr5", part("ddr5_4800b_16gb_x8"), traffic},
      {"ddr5_same_bank_refresh",
       part("ddr5_4800b_16gb_x8",
            {{"dram.refresh_mode", "same_bank"}, {"dram.timing.tREFI", "3600"}}),
       traffic},
      {"ddr5_of_four_ranks", part("ddr5_4800b_16gb_x8", {{"dram.ranks", "4"}}), traffic},
      {"ddr4_of_eight_ranks",
       part("ddr4_2400r_8gb_x8", {{"dram.ranks", "8"}, {"controller.writes", "drained"}}), traffic},
      {"mop4clxor",
       part("ddr4_2400r_8gb_x8",
            {{"controller.address_map", "mop4clxor"}, {"controller.channels", "2"}}),
       traffic},
      {"lpddr5", part("lpddr5_6400_8gb_x16"), traffic},
      {"lpddr5x", part("lpddr5x_8533_16gb_x16"), traffic},
      {"lpddr5_same_bank_refresh",
       part("lpddr5_5500_16gb_x16", {{"dram.refresh_mode", "same_bank"},
                                     {"dram.timing.tREFI", "1600"},
                                     {"controller.writes", "drained"}}),
       traffic},
      {"lpddr5_clock_stops", part("lpddr5_6400_8gb_x16"), kSeldom},
      {"hbm3", part("hbm3_6400_8h_4gb_x32"), traffic},
      {"hbm3e_same_bank_refresh",
       part("hbm3e_9200_8h_4gb_x32", {{"dram.refresh_mode", "same_bank"}}), traffic},
      {"hbm3_same_bank_refresh",
       part("hbm3_4800_4h_2gb_x32",
            {{"dram.refresh_mode", "same_bank"}, {"dram.timing.tREFI", "1200"}}),
       traffic},
      {"paper_precharge", part("table3", {{"dram.precharge_delay", "paper"}}), traffic},
      {"gaps_of_the_bus", part("table3", {{"dram.timing.tRTRS", "7"}, {"dram.timing.tWTR", "0"}}),
       traffic},
      {"closed_rows_in_groups",
       part("ddr4_2400r_8gb_x8",
            {{"controller.page_policy", "closed_page"}, {"controller.structure", "two_level"}}),
       traffic},
  };
}

std::vector<GoldenCase> refreshes() {
  const auto traffic = agents::dram_only();
  return {
      {"no_refresh", part("table3", {{"dram.refresh", "false"}}), traffic},
      {"refresh", often_refreshed("table3", {}), traffic},
      {"refresh_long", part("table3", {{"dram.timing.tREFI", "2600"}, {"dram.timing.tRFC", "600"}}),
       traffic},
      {"refresh_postponed", often_refreshed("table3", {{"dram.refresh_postpone", "8"}}), traffic},
      {"refresh_pulled_in",
       often_refreshed("table3", {{"dram.refresh_pull_in", "4"}, {"dram.refresh_postpone", "2"}}),
       joined(kSeldom, {agents::lines("2", "dram", "32KiB", "0.5", "2")})},
      {"refresh_of_four_ranks",
       often_refreshed("table3", {{"dram.ranks", "4"}, {"controller.structure", "two_level"}}),
       traffic},
  };
}

std::vector<GoldenCase> power() {
  const Assignments down{{"dram.power_down", "fast"}, {"dram.power_down_idle", "60ns"}};
  const Assignments asleep{{"dram.self_refresh", "true"}, {"dram.self_refresh_idle", "250ns"}};
  return {
      {"power_down", often_refreshed("table3", down), kSeldom},
      {"power_down_at_once",
       often_refreshed("table3", {{"dram.power_down", "fast"}, {"dram.power_down_idle", "0ns"}}),
       kSeldom},
      {"power_down_beside_traffic", part("ddr4_2400r_8gb_x8", with(down, {{"dram.ranks", "4"}})),
       agents::dram_only()},
      {"self_refresh", often_refreshed("table3", asleep), kSeldom},
      {"power_down_and_self_refresh",
       often_refreshed("table3", with(with(down, asleep), {{"dram.refresh_postpone", "3"},
                                                           {"dram.refresh_pull_in", "2"},
                                                           {"controller.writes", "drained"}})),
       kSeldom},
      {"power_down_same_bank_refresh",
       part("ddr5_4800b_16gb_x8",
            with(down, {{"dram.refresh_mode", "same_bank"}, {"dram.timing.tREFI", "3600"}})),
       kSeldom},
      {"power_down_timeout_page",
       often_refreshed("table3", with(down, {{"controller.page_policy", "timeout_page"}})),
       kSeldom},
      {"self_refresh_beside_nvdimm",
       with(with(kGoldenFlash, asleep),
            {{"dram.power_down", "fast"}, {"dram.power_down_idle", "20ns"}, {"dram.ranks", "2"}}),
       {agents::seldom("0", "dram", "900ns"), agents::lines("1", "nvdimm", "256KiB", "0.6")}},
  };
}

}  // namespace

GoldenGroup golden_dram() {
  return {"dram", 60 * kMicrosecond, joined(joined(standards(), refreshes()), power())};
}

}  // namespace hmsim::testing
