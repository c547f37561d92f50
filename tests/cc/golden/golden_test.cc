// SPDX-License-Identifier: BSD-3-Clause
// Are results unchanged? Small runs of many configurations are compared with stored results: a
// digest of all commands with their cycles, and every statistic that the file lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/cc/golden/golden_file.h"

namespace hmsim::testing {

namespace {

struct Named {
  std::string group;
  Tick length;
  GoldenCase golden;
};

// Built once, because every start of the test program lists the names.
const std::vector<Named>& all_runs() {
  static const std::vector<Named> runs = [] {
    std::vector<Named> made;
    for (const GoldenGroup& group : golden_groups()) {
      for (const GoldenCase& each : group.cases) {
        made.push_back({group.name, group.length, each});
      }
    }
    return made;
  }();
  return runs;
}

std::vector<std::string> names_of(const std::string& group) {
  std::vector<std::string> names;
  for (const Named& run : all_runs()) {
    if (run.group == group) {
      names.push_back(run.golden.name);
    }
  }
  return names;
}

class Golden : public ::testing::TestWithParam<std::size_t> {
 protected:
  static const Named& named() { return all_runs()[GetParam()]; }
};

TEST_P(Golden, RunMatchesStoredResults) {
  GoldenRun run(named().golden, named().length);
  for (int part = 0; part < GoldenRun::kParts; ++part) {
    run.do_part();
  }
  expect_stored(named().group, named().golden.name, run.result(), names_of(named().group));
}

// Each part runs in a new simulation, as if in another process.
TEST_P(Golden, ContinuedCheckpointsMatchStoredResults) {
  auto run = std::make_unique<GoldenRun>(named().golden, named().length);
  for (int part = 1; part < GoldenRun::kParts; ++part) {
    run->do_part();
    run = std::make_unique<GoldenRun>(*run, named().golden);
  }
  run->do_part();
  expect_stored(named().group, named().golden.name, run->result(), names_of(named().group));
  // The first load may drop state that no policy needs any more.
  GoldenRun once(*run, named().golden);
  EXPECT_TRUE(GoldenRun(once, named().golden).save() == once.save());
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::Range<std::size_t>(0, all_runs().size()),
                         [](const auto& run) {
                           const Named& named = all_runs()[run.param];
                           return named.group + "_" + named.golden.name;
                         });

TEST(GoldenFiles, IgnoreANewStatisticAndNameAChangedOne) {
  const GoldenResult was{{{"commands", "7"}}, {{"dram.reads", "00a1"}, {"dram.writes", "00b2"}}};
  GoldenResult is = was;
  is.statistics["dram.new"] = "00c3";
  EXPECT_EQ(difference(was, is), "");
  is.statistics["dram.reads"] = "00d4";
  is.statistics.erase("dram.writes");
  EXPECT_EQ(difference(was, is),
            "dram.reads: was check 00a1, is check 00d4\n"
            "dram.writes: was check 00b2, is not there\n");
}

TEST(GoldenFiles, HoldTheRunsAndNoOthers) {
  for (const GoldenGroup& group : golden_groups()) {
    std::set<std::string> stored;
    const GoldenFile file(group.name);
    for (const auto& [name, values] : file.runs()) {
      stored.insert(name);
    }
    const std::vector<std::string> names = names_of(group.name);
    EXPECT_EQ(stored, std::set<std::string>(names.begin(), names.end())) << group.name;
  }
}

// The line of a statistic that left is emptied, so that the others keep their places. The next new
// name takes it.
TEST(GoldenFiles, NameEachStatisticOnceAndNoOther) {
  const std::vector<std::string> names = GoldenFile(golden_groups().front().name).names();
  std::set<std::string> stored;
  for (const GoldenGroup& group : golden_groups()) {
    const GoldenFile file(group.name);
    for (const auto& [run, result] : file.runs()) {
      for (const auto& [path, check] : result.statistics) {
        stored.insert(name_of(path));
      }
    }
  }
  EXPECT_EQ(stored.count(""), 0) << "a run has a check on an empty line or after the last one";
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!name->empty()) {
      EXPECT_EQ(stored.count(*name), 1) << *name << " is of no run: empty its line";
      EXPECT_EQ(std::count(names.begin(), name, *name), 0) << *name << " is listed twice";
    }
  }
}

// A run with the same results as another one does not show the effect of its configuration. In
// these two pairs the second must be equal: dies work like chips, and stored bytes change no time.
TEST(GoldenFiles, NoTwoRunsAreEqualExceptIntendedOnes) {
  const std::set<std::string> as_another{"chips", "pcm_stores_data"};
  for (const GoldenGroup& group : golden_groups()) {
    std::map<std::pair<GoldenValues, StatisticChecks>, std::string> known;
    const GoldenFile file(group.name);
    for (const std::string& name : names_of(group.name)) {
      const GoldenResult& result = file.runs().at(name);
      const auto [found, is_new] = known.emplace(std::pair(result.values, result.statistics), name);
      EXPECT_EQ(is_new, as_another.count(name) == 0) << name << " and " << found->second;
    }
  }
}

}  // namespace

}  // namespace hmsim::testing
