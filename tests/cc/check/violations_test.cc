// SPDX-License-Identifier: BSD-3-Clause
// Refreshes that the protocol checker counts over time, and its reports of violations.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/cc/check/edited_log.h"

namespace hmsim::testing {
namespace {

// Eight postponed refreshes, one due and eight in advance: one too many for the time, but not for
// the count.
TEST(ProtocolChecker, AtMostSixteenRefreshesInTwoIntervals) {
  ProtocolChecker checker(make_config(two_ranks({{"dram.timing.tRFC", "20"}})));
  for (int i = 0; i < 17; ++i) {
    EXPECT_EQ(checker.violations().total(), 0) << i;
    checker.on_command({Cycle(8 * kRefreshInterval + 20 * i), C::refresh, 0, 0, -1, -1, -1});
  }
  ASSERT_EQ(checker.violations().total(), 1);
  const Violation& found = checker.violations().first().front();
  EXPECT_EQ(found.rule, "refresh window");
  EXPECT_EQ(found.needed, 2 * kRefreshInterval);
  EXPECT_EQ(found.got, 16 * 20);
}

// Checks a log with only same-bank refreshes, of 4 bank numbers in tREFI / 2 = 4000 cycles.
std::vector<std::string> same_bank_rules_broken(const Log& log, Cycle end,
                                                const char* mode = "same_bank") {
  ProtocolChecker checker(make_config({{"nvdimm.present", "false"},
                                       {"dram.preset", "ddr5_4800b_16gb_x8"},
                                       {"dram.timing.tREFI", "8000"},
                                       {"dram.refresh_mode", mode}}));
  for (const CommandRecord& command : log) {
    checker.on_command(command);
  }
  checker.finish(end.value() * Tick(416), true);
  std::vector<std::string> rules;
  for (const Violation& violation : checker.violations().first()) {
    rules.push_back(violation.rule);
  }
  return rules;
}

TEST(ProtocolChecker, SameBankRefreshesOfEachNumberInTurn) {
  using Rules = std::vector<std::string>;
  Log log;
  for (int i = 0; i < 80; ++i) {
    log.push_back({Cycle(1000 * (i + 1)), C::refresh_same_bank, 0, 0, i % 4, -1, -1});
  }
  const Cycle end(80'000);
  EXPECT_EQ(same_bank_rules_broken(log, end), Rules{});
  Log twice = log;
  std::swap(twice[41].bank, twice[44].bank);  // 0 1 2 3 | 0 0 2 3 | 1 1 2 3
  EXPECT_EQ(same_bank_rules_broken(twice, end), Rules{"refresh order"});
  Log none = log;  // for ten rounds
  none.erase(none.begin() + 20, none.begin() + 60);
  const Rules found = same_bank_rules_broken(none, end);
  EXPECT_FALSE(contains(found, "refresh order"));
  EXPECT_TRUE(contains(found, "refresh interval"));
  EXPECT_TRUE(contains(found, "refresh count"));
  EXPECT_TRUE(contains(same_bank_rules_broken(log, end, "all_bank"), "refresh mode"));
  Log whole = log;
  whole.push_back({end + Cycle(1000), C::refresh, 0, 0, -1, -1, -1});
  EXPECT_EQ(same_bank_rules_broken(whole, end + Cycle(1000)), Rules{"refresh mode"});
}

TEST(ProtocolChecker, KeepsTheFirstAndCountsAll) {
  Recorded recorded = record({});
  for (CommandRecord& command : recorded.log) {
    command.row += command.command == C::read ? 1 : 0;
  }
  ProtocolChecker checker(make_config(two_ranks({})));
  EXPECT_NO_THROW(checker.raise_if_violated());
  std::int64_t reads = 0;
  for (const CommandRecord& command : recorded.log) {
    checker.on_command(command);
    reads += command.command == C::read ? 1 : 0;
  }
  EXPECT_EQ(checker.violations().total(), reads);
  EXPECT_EQ(checker.violations().first().size(), ViolationLog::kKept);
  try {
    checker.raise_if_violated();
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    const std::string text = fault.what();
    EXPECT_NE(text.find(checker.violations().first().front().describe()), std::string::npos);
    EXPECT_NE(text.find("the first of " + std::to_string(reads)), std::string::npos) << text;
  }
}

TEST(Violation, DescribesItself) {
  Violation violation{0, Cycle(39), "tRCD", "read", 1, 2, 7, 11, 10, "activate", Cycle(29)};
  EXPECT_EQ(violation.describe(),
            "channel 0, rank 1, bank 2, request 7, cycle 39: read: tRCD: needed 11, got 10 cycles "
            "after activate in cycle 29");
  violation = {1, Cycle(5), "refresh count", "", 0, -1, -1, 9, 0};
  EXPECT_EQ(violation.describe(), "channel 1, rank 0, cycle 5: refresh count: needed 9, got 0");
}

}  // namespace
}  // namespace hmsim::testing
