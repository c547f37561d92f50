// SPDX-License-Identifier: BSD-3-Clause
// Does Start-Gap put every line at the place that copying line by line gives?
#include "nvdimm/media/start_gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/cc/names.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

constexpr int kGap = -1;

// Lines in their places, moved by hand.
std::vector<int> in_order(int lines) {
  std::vector<int> places;
  for (int line = 0; line < lines; ++line) {
    places.push_back(line);
  }
  places.push_back(kGap);
  return places;
}

TEST(StartGap, PlacesMatchAModelThatCopiesLines) {
  for (const int lines : {1, 2, 3, 8, 13}) {
    std::vector<int> places = in_order(lines);
    StartGap gap(static_cast<std::uint64_t>(lines));
    for (int move = 0; move <= 3 * lines * (lines + 1); ++move) {
      std::set<std::uint64_t> taken;
      for (int line = 0; line < lines; ++line) {
        const std::uint64_t place = gap.place(static_cast<std::uint64_t>(line));
        ASSERT_EQ(places[place], line) << lines << " lines, " << move << " moves";
        taken.insert(place);
      }
      ASSERT_EQ(taken.size(), static_cast<std::size_t>(lines));
      // The gap swaps with the place before it, or, at the start, with the last place.
      const auto empty =
          static_cast<std::size_t>(std::find(places.begin(), places.end(), kGap) - places.begin());
      const std::size_t before = empty == 0 ? places.size() - 1 : empty - 1;
      ASSERT_EQ(gap.next_move().from, before);
      ASSERT_EQ(gap.next_move().to, empty);
      std::swap(places[empty], places[before]);
      gap.move();
    }
  }
}

TEST(StartGap, EveryLineReturnsAfterOneRoundForEachLine) {
  constexpr std::uint64_t kLines = 6;
  StartGap gap(kLines);
  const auto home = [&gap] {
    for (std::uint64_t line = 0; line < kLines; ++line) {
      if (gap.place(line) != line) {
        return false;
      }
    }
    return true;
  };
  std::vector<std::uint64_t> times;
  for (std::uint64_t move = 1; move <= 2 * kLines * (kLines + 1); ++move) {
    gap.move();
    if (home() && gap.next_move().to == kLines) {
      times.push_back(move);
    }
  }
  EXPECT_EQ(times, (std::vector<std::uint64_t>{kLines * (kLines + 1), 2 * kLines * (kLines + 1)}));
}

// Words: start, gap, writes. The gap has one place more than there are lines.
TEST(StartGap, PlacesOutsideOfItsRegionAreRejected) {
  constexpr std::uint64_t kLines = 6;
  Archive saved;
  StartGap(kLines).serialize(saved);
  const auto loads = [&](std::size_t word, std::uint64_t value) {
    Archive changed(testing::with_word(saved.bytes(), word * testing::kWordBytes, value));
    StartGap loaded(kLines);
    return testing::error_from([&] { loaded.serialize(changed); }).empty();
  };
  EXPECT_TRUE(loads(0, kLines - 1));
  EXPECT_FALSE(loads(0, kLines));
  EXPECT_TRUE(loads(1, kLines));
  EXPECT_FALSE(loads(1, kLines + 1));
}

TEST(StartGap, AMoveStartsAfterPsiWrites) {
  StartGap gap(4);
  for (int write = 1; write <= 3; ++write) {
    EXPECT_FALSE(gap.due(3));
    gap.wrote();
  }
  EXPECT_TRUE(gap.due(3));
  EXPECT_FALSE(gap.due(0)) << "off";
  gap.move();
  EXPECT_FALSE(gap.due(3));
}

}  // namespace
}  // namespace hmsim
