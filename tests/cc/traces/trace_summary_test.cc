// SPDX-License-Identifier: BSD-3-Clause
// Do a trace's quantities match hand counts, and is memory bounded?
#include "traces/trace_summary.h"

#include <gtest/gtest.h>

namespace hmsim::testing {
namespace {

TraceRecord line(std::uint64_t number, std::uint64_t time = 0, bool write = false) {
  return {time, number * 64, 64, 0, write};
}

TEST(TraceSummary, CountsRunsOfEachDirection) {
  TraceSummary summary(~std::uint64_t{0}, TraceSummary::Times::absolute);
  // Lines 62 .. 65 cross a page (64 lines), 127 and 128 a row (128 lines); writes in between.
  for (const std::uint64_t number : {62, 63, 64, 65, 127, 128, 128, 10}) {
    summary.add(line(number));
    summary.add(line(number * 1'000, 0, true));
  }
  const RunCounts& reads = summary.memories()[0].runs[0];
  EXPECT_EQ(reads.lines, 8u);
  EXPECT_EQ(reads.sequential, 4u);  // 63, 64, 65, 128
  EXPECT_EQ(reads.page_runs, 4u);   // 62 63 | 64 65 127 | 128 128 | 10
  EXPECT_EQ(reads.row_runs, 3u);    // 62 .. 127 | 128 128 | 10
  EXPECT_EQ(summary.memories()[0].runs[1].sequential, 0u);
  EXPECT_EQ(summary.memories()[0].runs[1].page_runs, 7u);  // 128,000 twice
}

TEST(TraceSummary, SplitsLongAccessesIntoLines) {
  TraceSummary summary(~std::uint64_t{0}, TraceSummary::Times::absolute);
  summary.add({0, 100, 64 * 200, 0, false});  // lines 1 .. 201
  const TraceSummary::Memory& memory = summary.memories()[0];
  EXPECT_EQ(memory.runs[0].lines, 201u);
  EXPECT_EQ(memory.runs[0].sequential, 200u);
  EXPECT_EQ(memory.runs[0].page_runs, 4u);
  EXPECT_EQ(memory.runs[0].row_runs, 2u);
  EXPECT_EQ(memory.visits.pages().count(), 4u);
  EXPECT_EQ(memory.visits.lines(), 201u);
  // Beyond the last address: truncated to it.
  TraceSummary last(~std::uint64_t{0}, TraceSummary::Times::absolute);
  last.add({0, ~std::uint64_t{0} - 63, 1'000, 0, false});
  EXPECT_EQ(last.memories()[0].runs[0].lines, 1u);
}

TEST(TraceSummary, AVisitLastsWhileItsPageIsAmongTheLastSixteen) {
  TraceSummary summary(~std::uint64_t{0}, TraceSummary::Times::absolute);
  for (const std::uint64_t number : {0u, 1u, 1u, 2u}) {  // three lines of page 0
    summary.add(line(number));
  }
  for (std::uint64_t page = 1; page < 16; ++page) {
    summary.add(line(page * 64));
  }
  summary.add(line(3));  // still page 0's visit, and the latest again
  const PageVisits& visits = summary.memories()[0].visits;
  EXPECT_EQ(visits.visits(), 16u);
  EXPECT_EQ(visits.lines(), 19u);
  summary.add(line(16 * 64));  // page 1 leaves
  summary.add(line(4));
  EXPECT_EQ(visits.visits(), 17u);
  summary.add(line(1 * 64));
  EXPECT_EQ(visits.visits(), 18u);
  EXPECT_EQ(visits.pages().count(), 17u);
}

// An access may be as large as the address space, and costs no more than one of 1 GiB.
TEST(TraceSummary, CountsThePagesOfAHugeAccess) {
  TraceSummary summary(~std::uint64_t{0}, TraceSummary::Times::absolute);
  TraceRecord huge = line(3);
  huge.bytes = (std::uint64_t{1} << 62) - 64 * 3;
  summary.add(huge);
  const PageVisits& visits = summary.memories()[0].visits;
  EXPECT_EQ(visits.visits(), std::uint64_t{1} << 50);
  EXPECT_EQ(visits.lines(), (std::uint64_t{1} << 56) - 3);
  EXPECT_EQ(visits.pages().count(), std::uint64_t{1} << 50);
  EXPECT_FALSE(visits.pages().exact());
}

TEST(TraceSummary, CountsMemoriesSeparately) {
  TraceSummary summary(std::uint64_t{1} << 45, TraceSummary::Times::absolute);
  summary.add(line(5, 7));
  summary.add(line((std::uint64_t{1} << 39) + 5, 9, true));
  EXPECT_EQ(summary.memories()[0].runs[0].accesses, 1u);
  EXPECT_EQ(summary.memories()[1].runs[1].accesses, 1u);
  EXPECT_EQ(summary.memories()[1].runs[0].accesses, 0u);
  EXPECT_EQ(summary.last_time(), 9u);
}

TEST(TraceSummary, BucketsGrowWithTime) {
  Intensity intensity;
  std::uint64_t total = 0;
  for (std::uint64_t time = 0; time < 10'000; time += 3) {
    intensity.add(time, time % 2);
    ++total;
  }
  EXPECT_EQ(intensity.length(), 128u);
  ASSERT_EQ(intensity.buckets().size(), 79u);  // 9,999 / 128, rounded up
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < intensity.buckets().size(); ++i) {
    const std::uint64_t both = intensity.buckets()[i][0] + intensity.buckets()[i][1];
    found += both;
    if (i + 1 < intensity.buckets().size()) {
      EXPECT_NEAR(static_cast<double>(both), 128 / 3.0, 1);
    }
  }
  EXPECT_EQ(found, total);
  intensity.add(~std::uint64_t{0}, 0);
  EXPECT_LE(intensity.buckets().size(), Intensity::kBuckets);
}

TEST(TraceSummary, DistinctNumbersAreExactThenEstimated) {
  DistinctCount count;
  for (std::uint64_t number = 0; number < DistinctCount::kMost; ++number) {
    count.add(number * 4'097);
    count.add(number / 2 * 4'097);
  }
  EXPECT_TRUE(count.exact());
  EXPECT_EQ(count.count(), DistinctCount::kMost);
  for (std::uint64_t number = 0; number < 3 * DistinctCount::kMost; ++number) {
    count.add(number * 4'097);
  }
  EXPECT_FALSE(count.exact());
  EXPECT_NEAR(static_cast<double>(count.count()), 3.0 * DistinctCount::kMost,
              0.01 * DistinctCount::kMost);
}

TEST(TraceSummary, TimesMayCountFromTheFirstAccess) {
  TraceSummary summary(~std::uint64_t{0}, TraceSummary::Times::from_first);
  for (const std::uint64_t time : {1'000'000u, 1'000'007u, 999'000u}) {
    TraceRecord record;
    record.time = time;
    record.bytes = 64;
    summary.add(record);
  }
  EXPECT_EQ(summary.last_time(), 7u);
  const auto& buckets = summary.memories()[0].intensity.buckets();
  ASSERT_EQ(buckets.size(), 8u);
  EXPECT_EQ(buckets[0][0], 2u);  // an access dated before the first counts with it
  EXPECT_EQ(buckets[7][0], 1u);
}

}  // namespace
}  // namespace hmsim::testing
