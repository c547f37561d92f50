// SPDX-License-Identifier: BSD-3-Clause
// Does a named row supply the values that are not given?
#include "core/preset_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace hmsim {
namespace {

enum class Size { small, large };
struct Values {
  std::int64_t width;
  std::int64_t depth;
};
using Row = PresetRow<Size, Values>;

constexpr std::array<Row, 2> kSizes{{
    {Size::small, "small", {1, 2}},
    {Size::large, "large", {30, 40}},
}};
static_assert(in_order(kSizes));
static_assert(!in_order(std::array<Row, 2>{{kSizes[1], kSizes[0]}}));
static_assert(!in_order(std::array<Row, 1>{{kSizes[1]}}));
static_assert(row_of(kSizes, Size::large).values.depth == 40);

struct Box {
  Size size = Size::small;
  Values values = row_of(kSizes, Size::small).values;

  void declare(ParameterSet& set) {
    declare_preset(set, "size", size, kSizes, [this](const Row& row) { values = row.values; },
                   {"of the box"});
    set.integer("width", values.width, {0, 99}, "", {"of the box"});
    set.integer("depth", values.depth, {0, 99}, "", {"of the box"});
  }
};

TEST(PresetTable, ARowSuppliesMissingValues) {
  for (const Assignments& given :
       {Assignments{{"size", "large"}, {"width", "7"}}, {{"width", "7"}, {"size", "large"}}}) {
    Box box;
    ParameterSet set;
    box.declare(set);
    EXPECT_TRUE(set.apply(given).empty());
    EXPECT_EQ(box.size, Size::large);
    EXPECT_EQ(box.values.width, 7);
    EXPECT_EQ(box.values.depth, 40);
  }
}

TEST(PresetTable, TheNamesAreThoseOfTheRows) {
  Box box;
  ParameterSet set;
  box.declare(set);
  EXPECT_EQ(set.describe().front().range, "small | large");
  const auto errors = set.apply({{"size", "lage"}});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors.front().message.find("large"), std::string::npos);
  EXPECT_EQ(box.values.width, 1);
}

}  // namespace
}  // namespace hmsim
