// SPDX-License-Identifier: BSD-3-Clause
// Names and values for a host simulator's scripts and statistics files.
#include "embed/named_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hmsim {

namespace {

Statistic statistic(const char* path, const char* unit, StatisticKind kind) {
  Statistic statistic;
  statistic.path = path;
  statistic.unit = unit;
  statistic.description = "what";
  statistic.kind = kind;
  return statistic;
}

TEST(NamedValues, AreOneForEachNumber) {
  Statistic reads = statistic("reads", "requests", StatisticKind::counter);
  reads.count = 7;
  Statistic share = statistic("share", "", StatisticKind::ratio);
  share.present = false;
  Statistic latency = statistic("latency", "ns", StatisticKind::histogram);
  latency.summary = {{"mean", 1.0 / 3}, {"max", 2}};
  latency.count = 3;
  const std::vector<NamedValue> values = named_values({reads, share, latency});
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values[0].description, "what, requests");
  EXPECT_EQ(values[1].description, "what");
  EXPECT_TRUE(std::isnan(values[1].value));
  EXPECT_EQ(value_lines(values),
            "reads=7\nlatency.mean=0.33333333333333331\nlatency.max=2\nlatency.count=3\n");
}

// A histogram without values has only a count.
TEST(NamedValues, KeepTheirNumberWithoutValues) {
  Statistic latency = statistic("latency", "ns", StatisticKind::histogram);
  latency.summary = {{"mean", 0}, {"max", 0}};
  latency.present = false;
  const std::vector<NamedValue> values = named_values({latency});
  EXPECT_EQ(values.size(), 3u);
  EXPECT_EQ(value_lines(values), "latency.count=0\n");
}

TEST(NamedValues, NumbersJoinTheNameBeforeThem) {
  EXPECT_EQ(identifiers("dram.rank.10.energy_j"), "dram.rank10.energy_j");
  EXPECT_EQ(identifiers("dram.reads"), "dram.reads");
  EXPECT_EQ(identifiers("nvdimm.queue.share_over_104"), "nvdimm.queue.share_over_104");
}

TEST(NamedValues, AssignmentsAreLines) {
  EXPECT_EQ(assignment_lines({{"a.b", "1"}, {"c", "x|y"}}), "a.b=1\nc=x|y\n");
}

}  // namespace

}  // namespace hmsim
