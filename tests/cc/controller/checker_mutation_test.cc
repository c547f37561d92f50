// SPDX-License-Identifier: BSD-3-Clause
// Has the protocol checker teeth? Each rule of the timing engine is relaxed by one cycle in turn;
// then traffic must make the checker report that rule, between those two commands, by one cycle.
#include "dram/timing_rules.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

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

// tRC = tRAS + tRP in every preset, and a precharge always lies between two activates of a bank,
// and between an activate and a refresh: only a larger tRC binds.
const Assignments kLongTrc{{"dram.timing.tRC", "60"}, {"dram.timing.tREFI", "600"}};
// In every preset tCCD is the length of a burst, so that the data bus is too early as well.
const Assignments kLongTccd{{"dram.timing.tCCD", "5"}};
const Assignments kManyRefreshes{{"dram.timing.tREFI", "600"}};

// Rows so slow that requests always wait, until a long pause: then the refreshes that were
// postponed and those made in advance follow one another.
const Assignments kMovedRefreshes{{"dram.refresh_postpone", "8"}, {"dram.refresh_pull_in", "8"},
                                  {"dram.timing.tRFC", "1"},      {"dram.timing.tRP", "1"},
                                  {"dram.timing.tRAS", "1"},      {"dram.timing.tRC", "1"},
                                  {"dram.timing.tRRD", "90"},     {"dram.timing.tREFI", "100"}};

const char* const kPrechargeDelay = "precharge_delay";  // stands for what the mode calls it

std::vector<Case> cases() {
  constexpr Scope kBank = Scope::bank;
  constexpr Scope kRank = Scope::rank;
  constexpr Scope kOther = Scope::other_rank;
  return {
      {C::activate, C::activate, kBank, 1, "tRC", kLongTrc},
      {C::activate, C::read, kBank, 1, "tRCD"},
      {C::activate, C::write, kBank, 1, "tRCD"},
      {C::activate, C::precharge, kBank, 1, "tRAS"},
      {C::precharge, C::activate, kBank, 1, "tRP"},
      {C::read, C::precharge, kBank, 1, kPrechargeDelay},
      {C::write, C::precharge, kBank, 1, kPrechargeDelay},
      {C::activate, C::activate, kRank, 1, "tRRD"},
      {C::activate, C::activate, kRank, 4, "tFAW"},
      {C::read, C::read, kRank, 1, "tCCD", kLongTccd},
      {C::write, C::write, kRank, 1, "tCCD", kLongTccd},
      {C::read, C::write, kRank, 1, "tRTRS"},
      {C::write, C::read, kRank, 1, "tWTR"},
      {C::precharge, C::refresh, kRank, 1, "tRP", kManyRefreshes},
      {C::activate, C::refresh, kRank, 1, "tRC", kLongTrc},
      {C::refresh, C::activate, kRank, 1, "tRFC", kManyRefreshes},
      // A configuration is refused unless tREFI leaves tRFC far behind, so that refreshes of a rank
      // never meet. Past that check they follow one another, and fall behind, which the checker
      // would report later than the end of this run.
      {C::refresh, C::refresh, kRank, 1, "tRFC", {}, 80, Cycle(3'000)},
      {C::refresh, C::refresh, kRank, 16, "refresh window", kMovedRefreshes},
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
    case C::nvdimm_read:
      return "nvdimm_read";
    case C::nvdimm_write:
      return "nvdimm_write";
  }
  return "";
}

SystemConfig config_of(const Case& tried, const char* precharge_delay) {
  Assignments assignments = kBase;
  assignments.emplace_back("dram.precharge_delay", precharge_delay);
  assignments.insert(assignments.end(), tried.assignments.begin(), tried.assignments.end());
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

TEST(CheckerMutation, ARuleRelaxedByOneCycleIsReportedByItsName) {
  for (const char* precharge_delay : {"jedec", "paper", "paper_read"}) {
    std::size_t used = 0;
    const std::size_t count = ddr3_rules(config_of(Case{}, precharge_delay).dram).size();
    for (std::size_t i = 0; i < count; ++i) {
      for (const Case& tried : cases()) {
        const SystemConfig config = config_of(tried, precharge_delay);
        std::vector<TimingRule> rules = ddr3_rules(config.dram);
        if (!same(tried, rules[i])) {
          continue;
        }
        ++used;
        SCOPED_TRACE(::testing::Message()
                     << precharge_delay << ", rule " << i << ": " << name_of(tried.preceding)
                     << " to " << name_of(tried.following) << ", " << tried.rule);
        EXPECT_EQ(first_violation(config, rules, tried.run).rule, "") << "as it should be";
        ASSERT_GT(rules[i].latency, 1);
        --rules[i].latency;
        const Violation found = first_violation(config, rules, tried.run);
        EXPECT_EQ(found.rule, rule_of(tried, precharge_delay)) << found.describe();
        EXPECT_EQ(found.earlier, name_of(tried.preceding)) << found.describe();
        EXPECT_EQ(found.command, name_of(tried.following)) << found.describe();
        EXPECT_EQ(found.needed - found.got, 1) << found.describe();
      }
    }
    EXPECT_EQ(used, count) << "each rule of the table has one case";
    EXPECT_EQ(used, cases().size()) << "each case is of a rule";
  }
}

}  // namespace
}  // namespace hmsim::testing
