// SPDX-License-Identifier: BSD-3-Clause
// Is each field of a struct saved, loaded and reported by exactly one row?
#include "core/statistic_table.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace hmsim {
namespace {

struct Counts {
  Counter hits = 0;
  Counter misses = 0;
  Counter waited_ps = 0;
  Histogram sizes;

  friend bool operator==(const Counts& a, const Counts& b) {
    return a.hits == b.hits && a.misses == b.misses && a.waited_ps == b.waited_ps &&
           a.sizes.sum() == b.sizes.sum();
  }
};

struct Module {
  Counts counts;
  Counts& statistics() { return counts; }
};

using Table = StatisticTable<Module, Counts>;

constexpr std::array kRows{
    Table::counter<&Counts::hits>("cache.hits", "lookups", "lookups that found their line"),
    Table::part<&Counts::misses>(),
    Table::sum<&Counts::hits, &Counts::misses>("cache.lookups", "lookups", "all lookups"),
    Table::ratio<&Counts::misses, &Counts::hits>("cache.hits_per_miss", "hits over misses"),
    Table::scaled<&Counts::waited_ps>("cache.waited_ns", "ns", "time that lookups waited", 1000),
    Table::histogram<&Counts::sizes>("cache.sizes", "lines", "lines of a fill", 1),
};

TEST(StatisticTable, KnowsWhetherItIsComplete) {
  constexpr std::array kMissing{Table::part<&Counts::hits>(), Table::part<&Counts::misses>(),
                                Table::part<&Counts::sizes>()};
  constexpr std::array kTwice{Table::part<&Counts::hits>(), Table::part<&Counts::hits>(),
                              Table::part<&Counts::misses>(), Table::part<&Counts::sizes>()};
  constexpr std::array kRest{Table::part<&Counts::waited_ps>()};
  static_assert(Table::complete(kRows));
  static_assert(!Table::complete(kMissing));
  static_assert(!Table::complete(kTwice), "as many bytes, but the same field again");
  static_assert(Table::complete(kMissing, kRest), "in two tables");
}

Module used() {
  Module module;
  module.counts.hits = 6;
  module.counts.misses = 2;
  module.counts.waited_ps = 7000;
  module.counts.sizes.add(3);
  return module;
}

TEST(StatisticTable, SavesAndLoadsEachField) {
  Module module = used();
  Archive saves;
  Table::serialize(module.counts, saves, kRows);
  Counts other;
  Archive loads(saves.bytes());
  Table::serialize(other, loads, kRows);
  EXPECT_TRUE(loads.at_end());
  EXPECT_TRUE(other == module.counts);
}

TEST(StatisticTable, ReportsModulesAsOneInTheOrderOfItsRows) {
  Module first = used();
  Module second = used();
  StatisticRegistry registry;
  Table::report(kRows, registry, {&first, &second});
  const std::vector<Statistic> read = registry.read();
  std::vector<std::string> paths;
  for (const Statistic& statistic : read) {
    paths.push_back(statistic.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"cache.hits", "cache.lookups", "cache.hits_per_miss",
                                             "cache.waited_ns", "cache.sizes"}));
  EXPECT_EQ(read[0].count, 12u);
  EXPECT_EQ(read[0].unit, "lookups");
  EXPECT_EQ(read[0].description, "lookups that found their line");
  EXPECT_EQ(read[1].count, 16u);
  EXPECT_EQ(read[2].value, 3);
  EXPECT_EQ(read[3].value, 14);
}

}  // namespace
}  // namespace hmsim
