// SPDX-License-Identifier: BSD-3-Clause
// When is a class of memory reported as starving, and how often?
#include "simulation/progress_watch.h"

#include <gtest/gtest.h>

#include "tests/cc/names.h"

namespace hmsim {
namespace {

constexpr Counter kMany = ProgressWatch::kMany;
constexpr Tick kMicrosecond{1'000'000};

using Lines = std::vector<std::string>;

Lines look(ProgressWatch& watch, ClassService dram, ClassService nvdimm, std::int64_t microsecond) {
  watch.look({{dram, nvdimm}}, microsecond * kMicrosecond);
  return watch.take_found();
}

TEST(ProgressWatch, ReportsClassTimeAndRemedyOnce) {
  ProgressWatch watch;
  EXPECT_EQ(look(watch, {7, true}, {0, true}, 5), Lines());
  EXPECT_EQ(look(watch, {7, true}, {kMany - 1, true}, 10), Lines()) << "not many yet";
  const Lines found = look(watch, {7, true}, {kMany, true}, 11);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(testing::names(found[0], {"DRAM requests", "5us", "1000000 NVDIMM requests",
                                        "policies.harmonic.guard", "controller.starvation_limit"}));
  EXPECT_EQ(look(watch, {7, true}, {3 * kMany, true}, 30), Lines()) << "reported already";
}

TEST(ProgressWatch, EachClassIsReportedAndEachChannelWatched) {
  ProgressWatch watch;
  const ClassService idle;
  const auto see = [&](Counter dram, Counter nvdimm, std::int64_t microsecond) {
    watch.look({{idle, idle}, {ClassService{dram, true}, ClassService{nvdimm, true}}},
               microsecond * kMicrosecond);
    return watch.take_found().size();
  };
  EXPECT_EQ(see(0, 0, 1), 0U);
  EXPECT_EQ(see(kMany, 0, 2), 1U) << "the NVDIMM";
  EXPECT_EQ(see(2 * kMany, 1, 3), 0U);
  EXPECT_EQ(see(2 * kMany, 1 + kMany, 4), 1U) << "DRAM";
  EXPECT_EQ(see(4 * kMany, 1 + kMany, 5), 0U) << "the NVDIMM again";
}

// Slow flash does not starve: the NVDIMM has no ready request meanwhile.
TEST(ProgressWatch, AClassWithoutAReadyRequestDoesNotStarve) {
  ProgressWatch watch;
  EXPECT_EQ(look(watch, {0, true}, {0, true}, 1), Lines());
  EXPECT_EQ(look(watch, {kMany, true}, {0, false}, 2), Lines());
  EXPECT_EQ(look(watch, {2 * kMany, true}, {0, true}, 3), Lines()) << "ready again from now on";
  EXPECT_EQ(look(watch, {3 * kMany, true}, {0, true}, 4).size(), 1U);
}

TEST(ProgressWatch, OneRequestServedIsProgress) {
  ProgressWatch watch;
  EXPECT_EQ(look(watch, {0, true}, {0, true}, 1), Lines());
  EXPECT_EQ(look(watch, {1, true}, {kMany, true}, 2), Lines());
  EXPECT_EQ(look(watch, {1, true}, {2 * kMany - 1, true}, 3), Lines());
  EXPECT_EQ(look(watch, {1, true}, {2 * kMany, true}, 4).size(), 1U);
}

// The end of the warm-up resets the counters.
TEST(ProgressWatch, RestartsWhenCountersAreReset) {
  ProgressWatch watch;
  EXPECT_EQ(look(watch, {0, true}, {kMany / 2, true}, 1), Lines());
  EXPECT_EQ(look(watch, {0, true}, {10, true}, 2), Lines());
  EXPECT_EQ(look(watch, {0, true}, {kMany, true}, 3), Lines());
  EXPECT_EQ(look(watch, {0, true}, {kMany + 10, true}, 4).size(), 1U);
}

}  // namespace
}  // namespace hmsim
