// SPDX-License-Identifier: BSD-3-Clause
// Relaxes each rule of a timing table by one cycle in turn, with the protocol checker attached.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dram/standard.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {

using C = Command;

inline constexpr Cycle kLongRun{60'000};

// A rule of the table, the configuration that makes it binding, and its name in the checker.
struct Case {
  C preceding;
  C following;
  Scope scope;
  int window;
  const char* rule;
  Assignments assignments = {};  // added to kBase
  std::int64_t trefi = 0;        // if not 0: set after the configuration's own check
  Cycle run = kLongRun;
};

// Two ranks and an NVDIMM that answers all reads and writes at once, so that its bursts are as
// dense as those of the DRAM.
inline const Assignments kBase = keys_from(
    "dram.ranks=2 controller.queues=split controller.arbiter=round_robin controller.contest=legal "
    "nvdimm.unmapped_read=zero nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 "
    "nvdimm.buffer.read_size=256KiB nvdimm.buffer.write_size=256KiB");

// Random traffic goes to banks 0 to 7 of a rank: several banks in each of several groups.
inline const char* const kGroupedMap = "row|group|bank|rank|column|channel";

// A part, and the settings that make binding those rules that others dominate in every part.
struct Part {
  const char* name;
  Assignments assignments;  // added to kBase
  // tRC = tRAS + tRP in every preset, and a precharge always separates two activates of a bank, and
  // an activate from a refresh. Only a larger tRC binds.
  Assignments long_trc;
  // In every preset tCCD is the length of a burst, so the data bus is violated as well.
  Assignments long_tccd;
  Assignments many_refreshes;
  // A configuration is rejected unless tREFI is much larger than tRFC, so refreshes of a rank never
  // touch. With this value, set after the check, they follow one another and become overdue. The
  // checker would report that only after the end of a short run.
  std::int64_t trefi;
};

// Name of the rule from a column command to its precharge. Under dram.precharge_delay: jedec the
// checker reports it as tRTP or tWR.
inline const char* const kPrechargeDelay = "precharge_delay";

inline constexpr Scope kBank = Scope::bank;
inline constexpr Scope kGroup = Scope::group;
inline constexpr Scope kRank = Scope::rank;
inline constexpr Scope kOther = Scope::other_rank;
inline constexpr Scope kOtherDimm = Scope::other_dimm;

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// Cases common to all standards.
inline std::vector<Case> bank_and_rank_cases(const Part& part) {
  return {{C::activate, C::activate, kBank, 1, "tRC", part.long_trc},
          {C::activate, C::read, kBank, 1, "tRCD"},
          {C::activate, C::write, kBank, 1, "tRCD"},
          {C::activate, C::precharge, kBank, 1, "tRAS"},
          {C::precharge, C::activate, kBank, 1, "tRP"},
          {C::read, C::precharge, kBank, 1, kPrechargeDelay},
          {C::write, C::precharge, kBank, 1, kPrechargeDelay},
          {C::activate, C::activate, kRank, 1, "tRRD"},
          {C::activate, C::activate, kRank, 4, "tFAW"},
          {C::read, C::read, kRank, 1, "tCCD", part.long_tccd},
          {C::write, C::write, kRank, 1, "tCCD", part.long_tccd},
          {C::read, C::write, kRank, 1, "tRTRS"},
          {C::write, C::read, kRank, 1, "tWTR"}};
}

inline std::vector<Case> group_cases(const char* write_spacing) {
  return {{C::activate, C::activate, kGroup, 1, "tRRD_L"},
          {C::read, C::read, kGroup, 1, "tCCD_L"},
          {C::write, C::write, kGroup, 1, write_spacing},
          {C::write, C::read, kGroup, 1, "tWTR_L"}};
}

inline std::vector<Case> refresh_cases(const Part& part) {
  return {
      {C::precharge, C::refresh, kRank, 1, "tRP", part.many_refreshes},
      {C::activate, C::refresh, kRank, 1, "tRC", part.long_trc},
      {C::refresh, C::activate, kRank, 1, "tRFC", part.many_refreshes},
      {C::refresh, C::refresh, kRank, 1, "tRFC", {}, part.trefi, Cycle(4'000)},
  };
}

// `spacing`: name of the rule between two of these refreshes; `after_activate`: from an activate of
// any bank to one.
inline std::vector<Case> same_bank_refreshes(const Part& part, const char* spacing,
                                             const char* after_activate = "tRRD_L") {
  constexpr Scope kNumber = Scope::same_bank;
  constexpr C kRefresh = C::refresh_same_bank;
  return {{C::precharge, kRefresh, kNumber, 1, "tRP", part.many_refreshes},
          {C::activate, kRefresh, kNumber, 1, "tRC", part.long_trc},
          {C::activate, kRefresh, kRank, 1, after_activate, part.many_refreshes},
          {kRefresh, C::activate, kNumber, 1, "tRFCsb", part.many_refreshes},
          {kRefresh, C::activate, kRank, 1, "tREFSBRD", part.many_refreshes},
          {kRefresh, kRefresh, kRank, 1, spacing, {}, part.trefi, Cycle(4'000)}};
}

// Returns whether a case is for a rule: all fields but the latency must match.
inline bool same(const Case& tried, const TimingRule& rule) {
  return tried.preceding == rule.preceding && tried.following == rule.following &&
         tried.scope == rule.scope && tried.window == rule.window;
}

inline std::string name_of(Command command) {
  static const std::map<Command, std::string> kNames{{C::activate, "activate"},
                                                     {C::precharge, "precharge"},
                                                     {C::read, "read"},
                                                     {C::write, "write"},
                                                     {C::refresh, "refresh"},
                                                     {C::refresh_same_bank, "refresh_same_bank"},
                                                     {C::power_down_enter, "power_down_enter"},
                                                     {C::power_down_exit, "power_down_exit"},
                                                     {C::self_refresh_enter, "self_refresh_enter"},
                                                     {C::self_refresh_exit, "self_refresh_exit"},
                                                     {C::nvdimm_read, "nvdimm_read"},
                                                     {C::nvdimm_write, "nvdimm_write"}};
  return kNames.at(command);
}

inline SystemConfig config_of(const Part& part, const Case& tried, const char* precharge_delay) {
  Assignments assignments = kBase;
  assignments.emplace_back("dram.precharge_delay", precharge_delay);
  for (const Assignments* const more : {&part.assignments, &tried.assignments}) {
    assignments.insert(assignments.end(), more->begin(), more->end());
  }
  SystemConfig config = make_config(assignments);
  if (tried.trefi != 0) {
    config.dram.timing.trefi = tried.trefi;
  }
  return config;
}

inline std::string rule_of(const Case& tried, const std::string& precharge_delay) {
  if (tried.rule != std::string_view(kPrechargeDelay)) {
    return tried.rule;
  }
  return precharge_delay != "jedec" ? kPrechargeDelay : tried.preceding == C::read ? "tRTP" : "tWR";
}

// Runs random traffic until the first violation or the end of the run.
inline Violation first_violation(const SystemConfig& config, const std::vector<TimingRule>& rules,
                                 Cycle run) {
  ChannelUnderTest channel(config, &rules);
  channel.violations_expected_ = true;
  RandomTraffic traffic(channel, 1);
  for (Cycle now{0}; now < run && channel.checker_.violations().total() == 0;) {
    traffic.burst();
    now += traffic.pause();
    channel.run_to(now);
  }
  return channel.first_violation();
}

inline void relax_each_rule(const Part& part, const std::vector<Case>& cases,
                            const char* precharge_delay = "jedec") {
  std::set<std::tuple<Command, Command, Scope, std::int64_t>> relaxed;
  std::set<std::pair<Assignments, std::int64_t>> sound;  // without a relaxed rule
  for (const Case& tried : cases) {
    const SystemConfig config = config_of(part, tried, precharge_delay);
    std::vector<TimingRule> rules = timing_rules(config.dram);
    // The rule of moved refreshes is only in the table of its own case.
    const auto in_table = std::count_if(cases.begin(), cases.end(), [&rules](const Case& each) {
      return std::any_of(rules.begin(), rules.end(),
                         [&each](const TimingRule& rule) { return same(each, rule); });
    });
    EXPECT_EQ(rules.size(), static_cast<std::size_t>(in_table))
        << "each rule of the table has one case";
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&tried](const TimingRule& each) { return same(tried, each); });
    SCOPED_TRACE(::testing::Message()
                 << part.name << ", " << precharge_delay << ": " << name_of(tried.preceding)
                 << " to " << name_of(tried.following) << ", " << tried.rule);
    ASSERT_NE(rule, rules.end());
    EXPECT_TRUE(
        relaxed.insert({tried.preceding, tried.following, tried.scope, tried.window}).second);
    if (sound.insert({tried.assignments, tried.trefi}).second) {
      EXPECT_EQ(first_violation(config, rules, tried.run).rule, "") << "as it should be";
    }
    ASSERT_GT(rule->latency, 1);
    --rule->latency;
    const Violation found = first_violation(config, rules, tried.run);
    EXPECT_EQ(found.rule, rule_of(tried, precharge_delay)) << found.describe();
    EXPECT_EQ(found.earlier, name_of(tried.preceding)) << found.describe();
    EXPECT_EQ(found.command, name_of(tried.following)) << found.describe();
    EXPECT_EQ(found.needed - found.got, 1) << found.describe();
  }
}

}  // namespace hmsim::testing
