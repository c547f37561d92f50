// SPDX-License-Identifier: BSD-3-Clause
// Does loading reject every state that saving cannot have written?
#include "core/archive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/types.h"
#include "tests/cc/names.h"

namespace hmsim {
namespace {

enum class Colour : std::uint8_t { red, green, blue, last = blue };

std::string saved(std::int64_t number) {
  Archive archive;
  auto word = static_cast<std::uint64_t>(number);
  archive(word);
  return archive.bytes();
}

// Loads a field from one word. Returns the error message, or "".
template <class T>
std::string error_of(std::int64_t number, T& value) {
  Archive archive(saved(number));
  return testing::error_from([&] { archive(value); });
}

template <class T>
std::string error_of(std::int64_t number) {
  T value{};
  return error_of(number, value);
}

TEST(Archive, RejectsIntegersThatDoNotFit) {
  EXPECT_EQ(error_of<std::uint8_t>(255), "");
  EXPECT_EQ(error_of<std::uint8_t>(256).find("the saved state "), 0u);
  EXPECT_NE(error_of<std::uint8_t>(-1), "");
  EXPECT_EQ(error_of<std::int32_t>(-1), "");
  EXPECT_NE(error_of<std::int32_t>(std::int64_t{1} << 31), "");
  EXPECT_NE(error_of<std::uint32_t>(-1), "");
  EXPECT_EQ(error_of<std::uint64_t>(-1), "");
}

TEST(Archive, RejectsBooleansOtherThanZeroAndOne) {
  bool value = false;
  EXPECT_EQ(error_of(1, value), "");
  EXPECT_TRUE(value);
  EXPECT_NE(error_of(2, value), "");
  EXPECT_NE(error_of(-1, value), "");
}

TEST(Archive, RejectsInvalidEnumerators) {
  Colour colour = Colour::red;
  EXPECT_EQ(error_of(2, colour), "");
  EXPECT_EQ(colour, Colour::blue);
  EXPECT_NE(error_of(3, colour), "");
  EXPECT_NE(error_of(-1, colour), "");
}

TEST(Archive, BoundsSignedNumbersSoThatTwoMayBeAdded) {
  constexpr std::int64_t kBound = std::int64_t{1} << 61;
  for (const std::int64_t good :
       {kBound - 1, 1 - kBound, 2 * kBound, -2 * kBound, kNever.value()}) {
    EXPECT_EQ(error_of<Tick>(good), "") << good;
    EXPECT_EQ(error_of<std::int64_t>(good), "") << good;
  }
  for (const std::int64_t bad : {kBound, -kBound, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_NE(error_of<Tick>(bad), "") << bad;
    EXPECT_NE(error_of<std::int64_t>(bad), "") << bad;
  }
}

TEST(Archive, AllocatesNoMoreThanTheBytesCouldHold) {
  std::vector<std::int64_t> numbers{1, 2};
  EXPECT_NE(error_of(1, numbers), "");
  std::vector<bool> truths;
  EXPECT_NE(error_of(-1, truths), "");
  EXPECT_NE(error_of(64, truths), "");
  std::string text;
  EXPECT_NE(error_of(1, text), "");
}

TEST(Archive, RejectsOtherSizesOfFixedVectors) {
  std::vector<std::int64_t> two{1, 2};
  Archive saves;
  saves.fixed(two);
  std::vector<std::int64_t> other(2);
  Archive loads(saves.bytes());
  loads.fixed(other);
  EXPECT_EQ(other, two);
  std::vector<std::int64_t> three(3);
  Archive again(saves.bytes());
  EXPECT_THROW(again.fixed(three), InputError);
}

TEST(Archive, ChecksIndicesWhenLoading) {
  const Archive saves;
  saves.check(false, "");
  saves.check_index(7, 3, "");
  const Archive loads{std::string()};
  loads.check_index(2, 3, "");
  loads.check_index(-1, 3, -1, "");
  loads.check_indices(std::vector<int>{0, 2, -1}, 3, -1, "");
  EXPECT_THROW(loads.check_index(3, 3, "a place"), InputError);
  EXPECT_THROW(loads.check_index(-1, 3, "a place"), InputError);
  EXPECT_THROW(loads.check_index(-2, 3, -1, "a place"), InputError);
  EXPECT_THROW(loads.check_indices(std::vector<int>{0, 3}, 3, "a place"), InputError);
}

}  // namespace
}  // namespace hmsim
