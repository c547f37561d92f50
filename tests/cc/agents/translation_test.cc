// SPDX-License-Identifier: BSD-3-Clause
// Does each page get a separate frame, and the same one every time?
#include "agents/translation.h"

#include <gtest/gtest.h>

#include <set>

#include "core/archive.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

constexpr std::int64_t kFrames = 5'000;  // not a power of two
const Bytes kCapacity(kFrames * 4096);

TEST(Translation, FirstTouchIsInjectiveUntilTheCapacity) {
  Translation translation(TranslationKind::first_touch, kCapacity, 1);
  std::set<std::int64_t> frames;
  for (std::int64_t i = 0; i < kFrames; ++i) {
    const auto source = static_cast<std::uint16_t>(i % 3);
    const std::uint64_t page = mix64(static_cast<std::uint64_t>(i / 3)) / 4096;
    const Address address = translation.translate(source, page * 4096 + 200);
    EXPECT_EQ(address.value() % 4096, 192);
    EXPECT_LT(address.value(), kCapacity.value());
    EXPECT_TRUE(frames.insert(address.value() / 4096).second);
    EXPECT_EQ(translation.translate(source, page * 4096 + 200), address);
  }
  EXPECT_EQ(frames.size(), static_cast<std::size_t>(kFrames));
  EXPECT_EQ(translation.wraps(), 0u);
  translation.translate(9, 0);
  EXPECT_EQ(translation.wraps(), 1u);
  translation.translate(9, 64);
  EXPECT_EQ(translation.wraps(), 1u);
}

TEST(Translation, SourcesHaveSeparatePages) {
  Translation translation(TranslationKind::first_touch, kCapacity, 1);
  EXPECT_NE(translation.translate(0, 4096), translation.translate(1, 4096));
}

TEST(Translation, TheSeedChoosesTheFrames) {
  Translation a(TranslationKind::first_touch, kCapacity, 1);
  Translation b(TranslationKind::first_touch, kCapacity, 1);
  Translation c(TranslationKind::first_touch, kCapacity, 2);
  int same = 0;
  for (std::uint64_t page = 0; page < 100; ++page) {
    const Address address = a.translate(0, page * 4096);
    EXPECT_EQ(b.translate(0, page * 4096), address);
    same += c.translate(0, page * 4096) == address ? 1 : 0;
  }
  EXPECT_LT(same, 10);
}

TEST(Translation, ModuloKeepsAddressesAndCountsWraps) {
  Translation translation(TranslationKind::modulo, kCapacity, 1);
  EXPECT_EQ(translation.translate(0, 130).value(), 128);
  EXPECT_EQ(translation.wraps(), 0u);
  EXPECT_EQ(translation.translate(3, static_cast<std::uint64_t>(kCapacity.value()) + 64).value(),
            64);
  EXPECT_EQ(translation.wraps(), 1u);
}

TEST(Translation, ContinuesFromACheckpoint) {
  Translation a(TranslationKind::first_touch, kCapacity, 1);
  for (std::uint64_t page = 0; page < 2'000; ++page) {
    a.translate(0, page * 4096);
  }
  Translation b(TranslationKind::first_touch, kCapacity, 1);
  testing::copy_state(a, b);
  for (std::uint64_t page = 1'000; page < 4'000; ++page) {
    EXPECT_EQ(b.translate(0, page * 4096), a.translate(0, page * 4096));
  }
}

}  // namespace
}  // namespace hmsim
