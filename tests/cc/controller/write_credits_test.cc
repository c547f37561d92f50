// SPDX-License-Identifier: BSD-3-Clause
// Are saved credits for writes refused that are more than there can be?
#include "controller/channel/write_credits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kCredits = 8;

// Whether a state is taken in which so many are free, and so many owed by the NVDIMM.
bool takes(std::int64_t free, std::int64_t owed) {
  WriteCredits credits(kCredits, Cycle(5));
  Archive saved;
  credits.serialize(saved);
  std::string state = with_word(saved.bytes(), 0, static_cast<std::uint64_t>(free));
  state = with_word(state, kWordBytes, static_cast<std::uint64_t>(owed));
  return takes_all_of(state, credits);
}

TEST(WriteCredits, ASavedStateHasNoMoreOfThemThanThereAre) {
  EXPECT_TRUE(takes(kCredits, 0));
  EXPECT_TRUE(takes(3, 5));
  EXPECT_FALSE(takes(4, 5));
  EXPECT_FALSE(takes(kCredits + 1, 0));
  EXPECT_FALSE(takes(0, kCredits + 1));
  EXPECT_FALSE(takes(-1, 1));
  EXPECT_FALSE(takes(1, -1));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(takes(kMost, 1)) << "together they are less than nothing";
  EXPECT_FALSE(takes(1, kMost));
}

}  // namespace
}  // namespace hmsim::testing
