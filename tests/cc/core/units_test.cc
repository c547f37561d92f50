// SPDX-License-Identifier: BSD-3-Clause
// Are counts parsed correctly in every notation?
#include "core/units.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace hmsim {
namespace {

TEST(Counts, HaveSuffixesAndExponents) {
  const std::vector<std::pair<std::string, std::int64_t>> counts = {
      {"0", 0},
      {"-7", -7},
      {"0x1F", 31},
      {"5k", 5'000},
      {"5M", 5'000'000},
      {"1.5M", 1'500'000},
      {"2G", 2'000'000'000},
      {"-2k", -2'000},
      {"1e6", 1'000'000},
      {"2.5E3", 2'500},
      {"1000e-3", 1},
      {"0e18", 0},
      {"9.223372036854775807e18", std::numeric_limits<std::int64_t>::max()},
  };
  for (const auto& [text, value] : counts) {
    EXPECT_EQ(parse_integer(text).value, value) << text;
  }
}

TEST(Counts, AreRejectedUnlessWholeAndWithin64Bits) {
  for (const char* text : {"",
                           "-",
                           "k",
                           ".k",
                           ".5k",
                           "1.5",
                           "1.0005k",
                           "5m",
                           "5K",
                           "5 k",
                           "5kk",
                           "1e",
                           "1e-3",
                           "1e19",
                           "1.2.3M",
                           "1e1.0",
                           "0x1k",
                           "0x1.8M",
                           "--1",
                           "9.223372036854775808e18",
                           "0.1e-9223372036854775808",
                           "1e99999999999999999999"}) {
    const auto parsed = parse_integer(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_FALSE(parsed.error.empty()) << text;
  }
}

}  // namespace
}  // namespace hmsim
