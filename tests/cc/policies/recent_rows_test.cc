// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/recent_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <tuple>

#include "core/random.h"

namespace hmsim {
namespace {

using Row = std::tuple<std::int32_t, std::int32_t, std::int64_t>;

// Adds a row to the reference model: a list of the 32 most recent rows, latest first. Returns
// whether the list held the row.
bool use(std::deque<Row>& rows, const Row& row) {
  const auto found = std::find(rows.begin(), rows.end(), row);
  const bool seen = found != rows.end();
  if (seen) {
    rows.erase(found);
  }
  rows.push_front(row);
  if (rows.size() > 32) {
    rows.pop_back();
  }
  return seen;
}

TEST(RecentRows, AreTheLast32DistinctOnes) {
  Random random(1);
  RecentRows rows;
  std::deque<Row> expected;
  int seen = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto few = static_cast<std::int64_t>(random.below(i % 2'000 < 1'000 ? 4 : 12));
    const Row row(random.below(2), random.below(3), few);
    const bool found = use(expected, row);
    seen += found ? 1 : 0;
    ASSERT_EQ(rows.use(std::get<0>(row), std::get<1>(row), std::get<2>(row)), found) << i;
    if (i % 500 == 0) {
      Archive saved;
      rows.serialize(saved);
      Archive loaded(saved.bytes());
      rows = RecentRows();
      rows.serialize(loaded);
    }
  }
  EXPECT_GT(seen, 5'000);
  EXPECT_LT(seen, 19'500);
}

}  // namespace
}  // namespace hmsim
