// SPDX-License-Identifier: BSD-3-Clause
// Is every write to a place counted, however many there are, in little memory?
#include "nvdimm/media/wear_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/random.h"
#include "tests/cc/states.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kPlaces = 1'000'001;

// Returns a random place, or half the time one of a few places that are written more often than a
// byte can count.
std::uint64_t draw(Random& random) {
  return random.below(2) == 0 ? random.below(kPlaces) : kPlaces - 1 - random.below(40) * 30;
}

TEST(WearCounts, CountsMatchAMapAndSurviveACheckpoint) {
  Random random(7);
  WearCounts counts(kPlaces);
  std::map<std::uint64_t, std::uint64_t> expected;
  for (int part = 0; part < 4; ++part) {
    for (int write = 0; write < 20'000; ++write) {
      const std::uint64_t place = draw(random);
      ASSERT_EQ(counts.add(place), ++expected[place]);
    }
    const std::string state = state_of(counts);
    WearCounts loaded(kPlaces);
    loaded.add(3);  // discarded by loading
    Archive archive(state);
    loaded.serialize(archive);
    EXPECT_TRUE(archive.at_end());
    EXPECT_EQ(state_of(loaded), state);
    counts = loaded;
  }
  EXPECT_GT(expected[kPlaces - 1], 600u);
}

// Writes to all places: at most one byte per place, plus the number of each 64.
TEST(WearCounts, APlaceTakesAboutOneByte) {
  WearCounts counts(kPlaces);
  for (std::uint64_t place = 0; place < kPlaces; ++place) {
    counts.add(place * 7'919 % kPlaces);
  }
  EXPECT_LT(state_of(counts).size(), kPlaces * 9 / 8 + 100);
}

TEST(WearCounts, DamagedCountsAreRejectedOrHarmless) {
  Random random(7);
  WearCounts counts(kPlaces);
  for (int write = 0; write < 20'000; ++write) {
    counts.add(draw(random));
  }
  const Sweep done = sweep(state_of(counts), 600, [&](const std::string& state) {
    WearCounts other(kPlaces);
    Archive archive(state);
    other.serialize(archive);
    for (std::uint64_t place = 0; place < kPlaces; place += 30) {
      other.add(place);
    }
  });
  EXPECT_GT(done.refused, 100);
}

}  // namespace
}  // namespace hmsim::testing
