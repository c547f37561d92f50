// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/row_counts.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/random.h"

namespace hmsim {
namespace {

using BankRow = std::pair<std::int32_t, std::int64_t>;

TEST(RowCounts, NeverMissARowAndSeldomReportAnAbsentOne) {
  constexpr std::size_t kDepth = 1024;
  Random random(1);
  RowCounts counts(kDepth, 4);
  std::multiset<BankRow> queued;
  int absent = 0;
  int known = 0;
  const auto row = [&] {
    return BankRow(random.below(4), static_cast<std::int64_t>(random.below(1 << 16)));
  };
  for (int i = 0; i < 200'000; ++i) {
    if (queued.size() == kDepth || (!queued.empty() && random.below(3) == 0)) {
      const auto leaving = queued.lower_bound(row());
      const auto found = leaving == queued.end() ? queued.begin() : leaving;
      counts.remove(found->first, found->second);
      queued.erase(found);
    } else {
      const auto added = *queued.insert(row());
      counts.add(added.first, added.second);
    }
    const BankRow asked = row();
    const bool may_have = counts.may_have(asked.first, asked.second);
    if (queued.count(asked) > 0) {
      ASSERT_TRUE(may_have);
    } else {
      ++absent;
      known += may_have ? 0 : 1;
    }
  }
  EXPECT_GT(known, absent / 4);  // about exp(-1) with as many rows in a bank as it has counts
}

TEST(RowCounts, AShallowQueueHasNone) {
  RowCounts counts(64, 4);
  EXPECT_TRUE(counts.may_have(0, 1));
  counts.add(0, 1);
  counts.remove(0, 1);
  EXPECT_TRUE(counts.may_have(0, 1));
}

}  // namespace
}  // namespace hmsim
