// SPDX-License-Identifier: BSD-3-Clause
// Like checker_mutation_test.cc, for standards whose commands need more than one slot.
#include "tests/cc/assignments.h"
#include "tests/cc/check/relaxed_rules.h"

namespace hmsim::testing {
namespace {

// In every device, tRRD_L equals tRRD, and tFAW equals 4 x tRRD. The bursts
// of a line fit into the gap of another line, 2 cycles later, or follow that line.
const Assignments kLpddr5Base{{"dram.preset", "lpddr5_6400_16gb_x16"},
                              {"nvdimm.present", "false"},
                              {"dram.timing.tRRD_L", "6"},
                              {"dram.timing.tFAW", "24"},
                              {"controller.address_map", kGroupedMap}};
const Part kLpddr5{"LPDDR5",
                   kLpddr5Base,
                   {{"dram.timing.tRC", "70"}, {"dram.timing.tREFI", "2000"}},
                   {{"dram.timing.tCCD", "3"}},
                   {{"dram.timing.tREFI", "2000"}},
                   220};

const Part kPerBank{"LPDDR5, per-bank refreshes",
                    with(kLpddr5Base, {{"dram.refresh_mode", "same_bank"}}),
                    {{"dram.timing.tRC", "70"}, {"dram.timing.tREFI", "2000"}},
                    {{"dram.timing.tCCD", "3"}},
                    {{"dram.timing.tREFI", "2000"}},
                    8 * 71};

// In every part tRC is tRAS + tRP, and each pseudo-channel has a data bus. tCCD and its slots are
// as for LPDDR5.
const Assignments kHbm3Base{{"dram.preset", "hbm3_6400_8h_4gb_x32"},
                            {"nvdimm.present", "false"},
                            {"dram.timing.tFAW", "40"},
                            {"controller.address_map", kGroupedMap}};
// An address map with which the few lines of the traffic use two stack ids.
const Assignments kStacked{{"controller.address_map", "row|bank|column|rank|group|channel"}};
const Part kHbm3{"HBM3",
                 kHbm3Base,
                 {{"dram.timing.tRC", "120"}, {"dram.timing.tREFI", "3000"}},
                 {{"dram.timing.tCCD", "3"}},
                 {{"dram.timing.tREFI", "3000"}},
                 410};
const Part kHbm3PerBank{"HBM3, per-bank refreshes",
                        with(kHbm3Base, {{"dram.refresh_mode", "same_bank"}}),
                        {{"dram.timing.tRC", "120"}, {"dram.timing.tREFI", "14000"}},
                        {{"dram.timing.tCCD", "3"}},
                        {{"dram.timing.tREFI", "14000"}},
                        32 * 12};

// Cases of a part, with further ones of its standard.
std::vector<Case> cases_of(const Part& part, const std::vector<Case>& more,
                           const std::vector<Case>& refreshes) {
  std::vector<Case> cases = bank_and_rank_cases(part);
  append(cases, group_cases("tCCD_L"));
  cases.push_back({C::precharge, C::precharge, kRank, 1, "tPPD"});
  append(cases, more);
  append(cases, refreshes);
  return cases;
}

// HBM3's REFpb counts as an activate of its bank group, and in tFAW.
std::vector<Case> refreshes_of_hbm3() {
  constexpr C kRefresh = C::refresh_same_bank;
  const Assignments often{{"dram.timing.tREFI", "4000"}};
  std::vector<Case> cases = same_bank_refreshes(kHbm3PerBank, "tPBR2PBR", "tRRD");
  const Assignments wide{{"dram.timing.tFAW", "80"}};
  const Assignments less{{"dram.timing.tFAW", "60"}};
  append(cases, {{C::activate, kRefresh, kGroup, 1, "tRRD_L", often},
                 {C::activate, kRefresh, kRank, 4, "tFAW", often},
                 {kRefresh, C::activate, kRank, 4, "tFAW", with(often, wide)},
                 {kRefresh, kRefresh, kRank, 4, "tFAW", less, kHbm3PerBank.trefi, Cycle(4'000)}});
  return cases;
}

const std::vector<Case> kOfLpddr5{{C::read, C::write, kGroup, 1, "tRTRS"}};
const std::vector<Case> kOfHbm3{{C::read, C::read, Scope::other_stack, 1, "tCCDR", kStacked}};

TEST(CheckerMutation, ARuleOfLpddr5RelaxedByOneCycleIsReportedByItsName) {
  for (const char* precharge_delay : {"jedec", "paper"}) {
    relax_each_rule(kLpddr5, cases_of(kLpddr5, kOfLpddr5, refresh_cases(kLpddr5)), precharge_delay);
  }
}

TEST(CheckerMutation, ARuleOfPerBankRefreshRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kPerBank,
                  cases_of(kPerBank, kOfLpddr5, same_bank_refreshes(kPerBank, "tPBR2PBR")));
}

TEST(CheckerMutation, ARuleOfHbm3RelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kHbm3, cases_of(kHbm3, kOfHbm3, refresh_cases(kHbm3)));
  relax_each_rule(kHbm3PerBank, cases_of(kHbm3PerBank, kOfHbm3, refreshes_of_hbm3()));
}

}  // namespace
}  // namespace hmsim::testing
