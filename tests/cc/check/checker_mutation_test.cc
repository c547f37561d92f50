// SPDX-License-Identifier: BSD-3-Clause
// Has the protocol checker teeth? Each rule of the timing engine is relaxed by one cycle in turn;
// then traffic must make the checker report that rule, between those two commands, by one cycle.
#include <algorithm>
#include <set>
#include <utility>

#include "dram/timing_rules.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/dram/standards.h"

namespace hmsim::testing {
namespace {

using C = Command;

constexpr Cycle kLongRun{60'000};

// How a rule of the table is brought to bind, and what the checker calls it.
struct Case {
  C preceding;
  C following;
  Scope scope;
  int window;
  const char* rule;
  Assignments assignments = {};  // beside kBase
  std::int64_t trefi = 0;        // if not 0: set past the configuration's own check
  Cycle run = kLongRun;
};

// Two ranks and an NVDIMM whose reads and writes are all answered at once, so that its bursts are
// as dense as those of the DRAM.
const Assignments kBase{{"dram.ranks", "2"},
                        {"controller.queues", "split"},
                        {"controller.arbiter", "round_robin"},
                        {"controller.contest", "legal"},
                        {"nvdimm.unmapped_read", "zero"},
                        {"nvdimm.capacity", "256MiB"},
                        {"nvdimm.ftl.over_provisioning", "28"},
                        {"nvdimm.buffer.read_size", "256KiB"},
                        {"nvdimm.buffer.write_size", "256KiB"}};

// Random traffic goes to banks 0 to 7 of a rank: several banks of each of several groups.
const char* const kGroupedMap = "row|group|bank|rank|column|channel";

// A part, and what brings its rules to bind that hide behind others in every part.
struct Part {
  const char* name;
  std::vector<TimingRule> (*rules)(const DramParameters& dram);
  Assignments assignments;  // beside kBase
  // tRC = tRAS + tRP in every preset, and a precharge always lies between two activates of a bank,
  // and between an activate and a refresh: only a larger tRC binds.
  Assignments long_trc;
  // In every preset tCCD is the length of a burst, so that the data bus is too early as well.
  Assignments long_tccd;
  Assignments many_refreshes;
  // A configuration is refused unless tREFI leaves tRFC far behind, so that refreshes of a rank
  // never meet. With this one, past that check, they follow one another, and fall behind, which the
  // checker would report later than the end of a short run.
  std::int64_t trefi;
};

// Rows so slow that requests always wait, until a long pause: then the refreshes that were
// postponed and those made in advance follow one another.
const Assignments kMovedRefreshes{{"dram.refresh_postpone", "8"}, {"dram.refresh_pull_in", "8"},
                                  {"dram.timing.tRFC", "1"},      {"dram.timing.tRP", "1"},
                                  {"dram.timing.tRAS", "1"},      {"dram.timing.tRC", "1"},
                                  {"dram.timing.tRRD", "90"},     {"dram.timing.tREFI", "100"}};

const Part kDdr3{"DDR3",
                 standard("ddr3").rules,
                 {},
                 {{"dram.timing.tRC", "60"}, {"dram.timing.tREFI", "600"}},
                 {{"dram.timing.tCCD", "5"}},
                 {{"dram.timing.tREFI", "600"}},
                 80};
const Part kDdr4{"DDR4",
                 standard("ddr4").rules,
                 {{"dram.preset", "ddr4_2400r_8gb_x8"}, {"controller.address_map", kGroupedMap}},
                 {{"dram.timing.tRC", "80"}, {"dram.timing.tREFI", "2000"}},
                 {{"dram.timing.tCCD", "5"}},
                 {{"dram.timing.tREFI", "2000"}},
                 400};
// In parts of narrow pages tFAW is four times tRRD.
const Assignments kDdr5Base{{"dram.preset", "ddr5_4800b_16gb_x8"},
                            {"dram.timing.tFAW", "60"},
                            {"controller.address_map", kGroupedMap}};
const Assignments kSameBankBase{
    kDdr5Base[0], kDdr5Base[1], kDdr5Base[2], {"dram.refresh_mode", "same_bank"}};
const Part kDdr5{"DDR5",
                 standard("ddr5").rules,
                 kDdr5Base,
                 {{"dram.timing.tRC", "150"}, {"dram.timing.tREFI", "4000"}},
                 {{"dram.timing.tCCD", "9"}},
                 {{"dram.timing.tREFI", "4000"}},
                 700};
const Part kDdr5SameBank{"DDR5, same-bank refreshes",
                         standard("ddr5").rules,
                         kSameBankBase,
                         {{"dram.timing.tRC", "150"}, {"dram.timing.tREFI", "4000"}},
                         {{"dram.timing.tCCD", "9"}},
                         {{"dram.timing.tREFI", "4000"}},
                         8 * 300};

// Ranks that fall asleep as soon as nothing waits, into self-refresh once they were refreshed.
const Part kSleeping{"DDR3, asleep",
                     standard("ddr3").rules,
                     {{"dram.power_down", "fast"},
                      {"dram.power_down_idle", "0ns"},
                      {"dram.self_refresh", "true"},
                      {"dram.self_refresh_idle", "2us"}},
                     kDdr3.long_trc,
                     kDdr3.long_tccd,
                     kDdr3.many_refreshes,
                     80};

const char* const kPrechargeDelay = "precharge_delay";  // stands for what the mode calls it

constexpr Scope kBank = Scope::bank;
constexpr Scope kGroup = Scope::group;
constexpr Scope kRank = Scope::rank;
constexpr Scope kOther = Scope::other_rank;

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// All families'.
std::vector<Case> common_cases(const Part& part) {
  return {
      {C::activate, C::activate, kBank, 1, "tRC", part.long_trc},
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
      {C::write, C::read, kRank, 1, "tWTR"},
      {C::nvdimm_read, C::nvdimm_read, kRank, 1, "data bus"},
      {C::nvdimm_write, C::nvdimm_write, kRank, 1, "data bus"},
      {C::nvdimm_read, C::nvdimm_write, kRank, 1, "tRTRS"},
      {C::nvdimm_write, C::nvdimm_read, kRank, 1, "tRTRS"},
      {C::read, C::read, kOther, 1, "tRTRS"},
      {C::read, C::write, kOther, 1, "tRTRS"},
      {C::read, C::nvdimm_read, kOther, 1, "tRTRS"},
      {C::read, C::nvdimm_write, kOther, 1, "tRTRS"},
      {C::write, C::read, kOther, 1, "tRTRS"},
      {C::write, C::write, kOther, 1, "tRTRS"},
      {C::write, C::nvdimm_read, kOther, 1, "tRTRS"},
      {C::write, C::nvdimm_write, kOther, 1, "tRTRS"},
      {C::nvdimm_read, C::read, kOther, 1, "tRTRS"},
      {C::nvdimm_read, C::write, kOther, 1, "tRTRS"},
      {C::nvdimm_write, C::read, kOther, 1, "tRTRS"},
      {C::nvdimm_write, C::write, kOther, 1, "tRTRS"},
  };
}

std::vector<Case> refresh_cases(const Part& part) {
  return {
      {C::precharge, C::refresh, kRank, 1, "tRP", part.many_refreshes},
      {C::activate, C::refresh, kRank, 1, "tRC", part.long_trc},
      {C::refresh, C::activate, kRank, 1, "tRFC", part.many_refreshes},
      {C::refresh, C::refresh, kRank, 1, "tRFC", {}, part.trefi, Cycle(4'000)},
  };
}

std::vector<Case> group_cases(const char* write_spacing) {
  return {
      {C::activate, C::activate, kGroup, 1, "tRRD_L"},
      {C::read, C::read, kGroup, 1, "tCCD_L"},
      {C::write, C::write, kGroup, 1, write_spacing},
      {C::write, C::read, kGroup, 1, "tWTR_L"},
  };
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

std::vector<Case> ddr5_cases(const Part& part) {
  std::vector<Case> cases = common_cases(part);
  append(cases, group_cases("tCCD_L_WR"));
  append(cases, refresh_cases(part));
  cases.push_back({C::precharge, C::precharge, kRank, 1, "tPPD"});
  return cases;
}

std::vector<Case> same_bank_cases(const Part& part) {
  constexpr Scope kSameBank = Scope::same_bank;
  constexpr C kRefresh = C::refresh_same_bank;
  std::vector<Case> cases = common_cases(part);
  append(cases, group_cases("tCCD_L_WR"));
  append(cases, {{C::precharge, C::precharge, kRank, 1, "tPPD"},
                 {C::precharge, kRefresh, kSameBank, 1, "tRP", part.many_refreshes},
                 {C::activate, kRefresh, kSameBank, 1, "tRC", part.long_trc},
                 {C::activate, kRefresh, kRank, 1, "tRRD_L", part.many_refreshes},
                 {kRefresh, C::activate, kSameBank, 1, "tRFCsb", part.many_refreshes},
                 {kRefresh, C::activate, kRank, 1, "tREFSBRD", part.many_refreshes},
                 {kRefresh, kRefresh, kRank, 1, "tRFCsb", {}, part.trefi, Cycle(4'000)}});
  return cases;
}

std::vector<Case> power_cases(const Part& part) {
  std::vector<Case> cases = ddr3_cases(part);
  // A sleeping rank is not refreshed in advance.
  append(cases.back().assignments,
         {{"dram.power_down_idle", "100us"}, {"dram.self_refresh_idle", "100us"}});
  const Assignments& often = part.many_refreshes;
  const auto with = [](Assignments base, const Assignments& more) {
    append(base, more);
    return base;
  };
  const Assignments deep = with(often, {{"dram.self_refresh_idle", "0ns"}});
  append(cases, {{C::read, C::power_down_enter, kRank, 1, "tRDPDEN"},
                 {C::power_down_enter, C::power_down_exit, kRank, 1, "tCKE"},
                 // In every preset a refresh, which a rank may wake up for, takes longer than tCKE.
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
                 // Only then is a refresh due before tXS has passed.
                 {C::self_refresh_exit, C::refresh, kRank, 1, "tXS",
                  with(deep, {{"dram.timing.tXS", "700"}, {"dram.timing.tXSDLL", "1000"}})},
                 {C::self_refresh_exit, C::read, kRank, 1, "tXSDLL", deep}});
  return cases;
}

// A rule is told from others by all but its latency.
bool same(const Case& tried, const TimingRule& rule) {
  return tried.preceding == rule.preceding && tried.following == rule.following &&
         tried.scope == rule.scope && tried.window == rule.window;
}

std::string_view name_of(Command command) {
  switch (command) {
    case C::activate:
      return "activate";
    case C::precharge:
      return "precharge";
    case C::read:
      return "read";
    case C::write:
      return "write";
    case C::refresh:
      return "refresh";
    case C::refresh_same_bank:
      return "refresh_same_bank";
    case C::power_down_enter:
      return "power_down_enter";
    case C::power_down_exit:
      return "power_down_exit";
    case C::self_refresh_enter:
      return "self_refresh_enter";
    case C::self_refresh_exit:
      return "self_refresh_exit";
    case C::nvdimm_read:
      return "nvdimm_read";
    case C::nvdimm_write:
      return "nvdimm_write";
  }
  return "";
}

SystemConfig config_of(const Part& part, const Case& tried, const char* precharge_delay) {
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

std::string rule_of(const Case& tried, const std::string& precharge_delay) {
  if (tried.rule != kPrechargeDelay) {
    return tried.rule;
  }
  const bool read = tried.preceding == C::read;
  const bool jedec = precharge_delay == "jedec" || (precharge_delay == "paper_read" && !read);
  return !jedec ? kPrechargeDelay : read ? "tRTP" : "tWR";
}

// Runs random traffic until the first violation, or to the end.
Violation first_violation(const SystemConfig& config, const std::vector<TimingRule>& rules,
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

void relax_each_rule(const Part& part, const std::vector<Case>& cases,
                     const char* precharge_delay = "jedec") {
  std::set<std::size_t> relaxed;
  std::set<std::pair<Assignments, std::int64_t>> sound;  // without a relaxed rule
  for (const Case& tried : cases) {
    const SystemConfig config = config_of(part, tried, precharge_delay);
    std::vector<TimingRule> rules = part.rules(config.dram);
    EXPECT_EQ(rules.size(), cases.size()) << "each rule of the table has one case";
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&tried](const TimingRule& each) { return same(tried, each); });
    SCOPED_TRACE(::testing::Message()
                 << part.name << ", " << precharge_delay << ": " << name_of(tried.preceding)
                 << " to " << name_of(tried.following) << ", " << tried.rule);
    ASSERT_NE(rule, rules.end());
    EXPECT_TRUE(relaxed.insert(static_cast<std::size_t>(rule - rules.begin())).second);
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

TEST(CheckerMutation, ARuleOfDdr3RelaxedByOneCycleIsReportedByItsName) {
  for (const char* precharge_delay : {"jedec", "paper", "paper_read"}) {
    relax_each_rule(kDdr3, ddr3_cases(kDdr3), precharge_delay);
  }
}

TEST(CheckerMutation, ARuleOfDdr4RelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr4, ddr4_cases(kDdr4));
}

TEST(CheckerMutation, ARuleOfDdr5RelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr5, ddr5_cases(kDdr5));
}

TEST(CheckerMutation, ARuleOfSleepRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kSleeping, power_cases(kSleeping));
}

TEST(CheckerMutation, ARuleOfSameBankRefreshRelaxedByOneCycleIsReportedByItsName) {
  relax_each_rule(kDdr5SameBank, same_bank_cases(kDdr5SameBank));
}

}  // namespace
}  // namespace hmsim::testing
