// SPDX-License-Identifier: BSD-3-Clause
// Do cells fail exactly with the given probability, up to the last random number?
#include "nvdimm/nand/cell_failures.h"

#include <gtest/gtest.h>

namespace hmsim {
namespace {

// Returns cells whose next random number is `number` of 2^32, set through a saved state: the
// generator's second word x yields rotate_left(5 x, 7) * 9 first.
CellFailures cells_that_draw(const NandParameters& nand, std::uint64_t number) {
  constexpr std::uint64_t kNinth = 0x8E38E38E38E38E39;  // modulo 2^64
  constexpr std::uint64_t kFifth = 0xCCCCCCCCCCCCCCCD;
  const std::uint64_t rotated = (number << 32) * kNinth;
  std::uint64_t second = (rotated >> 7 | rotated << 57) * kFifth;
  std::uint64_t other = 1;
  Archive saved;
  saved(other, second, other, other);
  CellFailures cells(nand, 1);
  Archive loaded(saved.bytes());
  cells.serialize(loaded);
  return cells;
}

constexpr double kChances = 4294967296.0;

TEST(CellFailures, ProbabilitiesAreRoundedToTheNearestOfTheNumbersDrawn) {
  const auto fails = [](double probability, std::uint64_t number) {
    NandParameters nand;
    nand.program_failure = probability;
    return cells_that_draw(nand, number).program_fails();
  };
  EXPECT_FALSE(fails(0.4 / kChances, 0));
  EXPECT_TRUE(fails(0.6 / kChances, 0));
  EXPECT_FALSE(fails(0.6 / kChances, 1));
  EXPECT_TRUE(fails(0.5, (1ull << 31) - 1));
  EXPECT_FALSE(fails(0.5, 1ull << 31));
  EXPECT_FALSE(fails(1 - 1 / kChances, (1ull << 32) - 1));
  EXPECT_TRUE(fails(1, (1ull << 32) - 1)) << "what is certain";
}

TEST(CellFailures, ErasesFailFromTheEnduranceOn) {
  NandParameters nand;
  nand.endurance = 7;
  nand.wear_failure = 1;
  const auto fails = [&nand](std::uint32_t wear) {
    return cells_that_draw(nand, (1ull << 32) - 1).erase_fails([wear] { return wear; });
  };
  EXPECT_FALSE(fails(6));
  EXPECT_TRUE(fails(7));
  EXPECT_TRUE(fails(8));
}

// The probability grows with wear, up to its value at the end of the endurance.
TEST(CellFailures, ReadsAreRepeatedInProportionToWear) {
  NandParameters nand;
  nand.endurance = 8;
  nand.read_retry = 0.5;
  nand.read_retry_limit = 1;
  const auto retries = [&nand](std::uint32_t wear, std::uint64_t number) {
    return cells_that_draw(nand, number).retries([wear] { return wear; });
  };
  constexpr std::uint64_t kQuarter = 1ull << 30;
  EXPECT_EQ(retries(0, 0), 0);
  EXPECT_EQ(retries(4, kQuarter - 1), 1);
  EXPECT_EQ(retries(4, kQuarter), 0);
  for (const std::uint32_t wear : {8, 9, 1000}) {
    EXPECT_EQ(retries(wear, 2 * kQuarter - 1), 1) << wear;
    EXPECT_EQ(retries(wear, 2 * kQuarter), 0) << wear;
  }
}

}  // namespace
}  // namespace hmsim
