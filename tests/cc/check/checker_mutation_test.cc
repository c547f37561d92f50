// SPDX-License-Identifier: BSD-3-Clause
// Does the protocol checker detect errors? Each rule of the timing engine is relaxed by one cycle
// in turn. The checker must then report that rule, between those two commands, by one cycle.
#include "tests/cc/assignments.h"
#include "tests/cc/check/relaxed_rules.h"

namespace hmsim::testing {
namespace {

// Activates are so slow that requests always wait, until a long pause. Postponed refreshes, and
// refreshes issued in advance, then follow one another.
const Assignments kMovedRefreshes = keys_from(
    "dram.refresh_postpone=8 dram.refresh_pull_in=8 dram.timing.tRFC=1 dram.timing.tRP=1 "
    "dram.timing.tRAS=1 dram.timing.tRC=1 dram.timing.tRRD=90 dram.timing.tREFI=100");

const Part kDdr3{"DDR3",
                 {},
                 {{"dram.timing.tRC", "60"}, {"dram.timing.tREFI", "600"}},
                 {{"dram.timing.tCCD", "5"}},
                 {{"dram.timing.tREFI", "600"}},
                 80};
const Part kDdr4{"DDR4",
                 {{"dram.preset", "ddr4_2400r_8gb_x8"}, {"controller.address_map", kGroupedMap}},
                 {{"dram.timing.tRC", "80"}, {"dram.timing.tREFI", "2000"}},
                 {{"dram.timing.tCCD", "5"}},
                 {{"dram.timing.tREFI", "2000"}},
                 400};
const Part kDimms{"DDR4, two DIMMs",
                  {{"dram.preset", "ddr4_2400r_8gb_x8"},
                   {"controller.address_map", kGroupedMap},
                   {"dram.ranks", "4"},
                   {"dram.ranks_per_dimm", "2"},
                   {"dram.timing.tRTRS_dimm", "6"}},
                  kDdr4.long_trc,
                  kDdr4.long_tccd,
                  kDdr4.many_refreshes,
                  400};
// In parts with narrow pages tFAW is four times tRRD.
const Assignments kDdr5Base{{"dram.preset", "ddr5_4800b_16gb_x8"},
                            {"dram.timing.tFAW", "60"},
                            {"controller.address_map", kGroupedMap}};
const Part kDdr5{"DDR5",
                 kDdr5Base,
                 {{"dram.timing.tRC", "150"}, {"dram.timing.tREFI", "4000"}},
                 {{"dram.timing.tCCD", "9"}},
                 {{"dram.timing.tREFI", "4000"}},
                 700};
const Part kDdr5SameBank{"DDR5, same-bank refreshes",
                         with(kDdr5Base, {{"dram.refresh_mode", "same_bank"}}),
                         kDdr5.long_trc,
                         kDdr5.long_tccd,
                         kDdr5.many_refreshes,
                         8 * 300};

// Ranks that enter power-down as soon as no request waits. They enter self-refresh after 2 us
// without requests, and only after a refresh.
const Part kSleeping{"DDR3, asleep",
                     keys_from("dram.power_down=fast dram.power_down_idle=0ns "
                               "dram.self_refresh=true dram.self_refresh_idle=2us"),
                     kDdr3.long_trc,
                     kDdr3.long_tccd,
                     kDdr3.many_refreshes,
                     80};

// Cases common to all DRAM families beside an NVDIMM.
std::vector<Case> common_cases(const Part& part) {
  std::vector<Case> cases = bank_and_rank_cases(part);
  append(cases, {{C::nvdimm_read, C::nvdimm_read, kRank, 1, "data bus"},
                 {C::nvdimm_write, C::nvdimm_write, kRank, 1, "data bus"},
                 {C::nvdimm_read, C::nvdimm_write, kRank, 1, "tRTRS"},
                 {C::nvdimm_write, C::nvdimm_read, kRank, 1, "tRTRS"}});
  for (const C first : {C::read, C::write, C::nvdimm_read, C::nvdimm_write}) {
    for (const C second : {C::read, C::write, C::nvdimm_read, C::nvdimm_write}) {
      if (!is_nvdimm(first) || !is_nvdimm(second)) {
        cases.push_back({first, second, kOther, 1, "tRTRS"});
      }
    }
  }
  return cases;
}

std::vector<Case> ddr3_cases(const Part& part) {
  std::vector<Case> cases = common_cases(part);
  append(cases, refresh_cases(part));
  cases.push_back({C::refresh, C::refresh, kRank, 16, "refresh window", kMovedRefreshes});
  return cases;
}

std::vector<Case> ddr4_cases(const Part& part) {
  std::vector<Case> cases = ddr3_cases(part);
  cases.back().assignments.emplace_back("dram.timing.tRRD_L", "90");
  append(cases, group_cases("tCCD_L"));
  return cases;
}

// Two DIMMs of two ranks, and the NVDIMM.
std::vector<Case> dimm_cases(const Part& part) {
  std::vector<Case> cases = ddr4_cases(part);
  for (Case& each : cases) {
    if (each.scope == kOther && (is_nvdimm(each.preceding) || is_nvdimm(each.following))) {
      each.rule = "tRTRS_dimm";
    }
  }
  append(cases, {{C::read, C::read, kOtherDimm, 1, "tRTRS_dimm"},
                 {C::read, C::write, kOtherDimm, 1, "tRTRS_dimm"},
                 {C::write, C::read, kOtherDimm, 1, "tRTRS_dimm"},
                 {C::write, C::write, kOtherDimm, 1, "tRTRS_dimm"}});
  return cases;
}

std::vector<Case> ddr5_cases(const Part& part, const std::vector<Case>& refreshes) {
  std::vector<Case> cases = common_cases(part);
  append(cases, group_cases("tCCD_L_WR"));
  append(cases, refreshes);
  cases.push_back({C::precharge, C::precharge, kRank, 1, "tPPD"});
  return cases;
}

std::vector<Case> power_cases(const Part& part) {
  std::vector<Case> cases = ddr3_cases(part);
  // A sleeping rank is not refreshed in advance.
  append(cases.back().assignments,
         {{"dram.power_down_idle", "100us"}, {"dram.self_refresh_idle", "100us"}});
  const Assignments& often = part.many_refreshes;
  const Assignments deep = with(often, {{"dram.self_refresh_idle", "0ns"}});
  append(cases, {{C::read, C::power_down_enter, kRank, 1, "tRDPDEN"},
                 {C::power_down_enter, C::power_down_exit, kRank, 1, "tCKE"},
                 // A rank that wakes for a refresh stays awake longer than tCKE in every preset.
                 // The rule acts only with a longer tCKE.
                 {C::power_down_exit, C::power_down_enter, kRank, 1, "tCKE",
                  with(often, {{"dram.timing.tCKE", "20"}})},
                 {C::power_down_exit, C::activate, kRank, 1, "tXP"},
                 {C::power_down_exit, C::refresh, kRank, 1, "tXP", often},
                 {C::power_down_exit, C::self_refresh_enter, kRank, 1, "tXP", often},
                 {C::read, C::self_refresh_enter, kRank, 1, "tRDPDEN",
                  with(deep, {{"dram.timing.tRP", "1"}, {"dram.timing.tRTP", "1"}})},
                 {C::precharge, C::self_refresh_enter, kRank, 1, "tRP", deep},
                 {C::activate, C::self_refresh_enter, kRank, 1, "tRC", with(deep, part.long_trc)},
                 {C::refresh, C::self_refresh_enter, kRank, 1, "tRFC", deep},
                 {C::self_refresh_enter, C::self_refresh_exit, kRank, 1, "tCKESR", deep},
                 {C::self_refresh_exit, C::activate, kRank, 1, "tXS", deep},
                 // These long times make a refresh due before tXS has passed. With a preset's
                 // values, none is, and no refresh would test the rule.
                 {C::self_refresh_exit, C::refresh, kRank, 1, "tXS",
                  with(deep, {{"dram.timing.tXS", "700"}, {"dram.timing.tXSDLL", "1000"}})},
                 {C::self_refresh_exit, C::read, kRank, 1, "tXSDLL", deep}});
  return cases;
}

TEST(CheckerMutation, ARuleOfDdr3RelaxedByOneCycleIsReportedByItsName) {
  for (const char* precharge_delay : {"jedec", "paper"}) {
    relax_each_rule(kDdr3, ddr3_cases(kDdr3), precharge_delay);
  }
}

TEST(CheckerMutation, ARuleOfDdr4RelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr4, ddr4_cases(kDdr4));
}

TEST(CheckerMutation, ARuleBetweenDimmsRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDimms, dimm_cases(kDimms));
}

TEST(CheckerMutation, ARuleOfDdr5RelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr5, ddr5_cases(kDdr5, refresh_cases(kDdr5)));
}

TEST(CheckerMutation, ARuleOfSleepRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kSleeping, power_cases(kSleeping));
}

TEST(CheckerMutation, ARuleOfSameBankRefreshRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr5SameBank,
                  ddr5_cases(kDdr5SameBank, same_bank_refreshes(kDdr5SameBank, "tRFCsb")));
}

}  // namespace
}  // namespace hmsim::testing
