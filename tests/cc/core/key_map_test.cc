// SPDX-License-Identifier: BSD-3-Clause
// Does the hash map hold what a sorted map holds, with keys in order, at equal distances and at
// random?
#include "core/key_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "core/random.h"

namespace hmsim {
namespace {

using Sorted = std::map<std::int64_t, std::uint32_t>;

std::uint32_t found(const Sorted& sorted, std::int64_t key) {
  const auto place = sorted.find(key);
  return place == sorted.end() ? kNoIndex : place->second;
}

TEST(KeyMap, MatchesASortedMap) {
  Random random(3);
  for (const std::int64_t distance : {1, 4096, 1 << 20, 0}) {  // 0: random keys
    KeyMap map;
    Sorted sorted;
    for (std::uint32_t step = 0; step < 20'000; ++step) {
      const auto number = static_cast<std::int64_t>(random.below(700));
      const std::int64_t key =
          distance > 0 ? number * distance : static_cast<std::int64_t>(mix64(number) >> 1);
      const std::uint32_t before = found(sorted, key);
      ASSERT_EQ(map.find(key), before);
      switch (random.below(3)) {
        case 0:
          ASSERT_EQ(map.find_or_insert(key, step), before);
          sorted.emplace(key, step);
          break;
        case 1:
          if (before == kNoIndex) {
            map.insert(key, step);
            sorted[key] = step;
          }
          break;
        default:
          if (before != kNoIndex) {
            map.erase(key);
            sorted.erase(key);
          }
      }
    }
  }
}

}  // namespace
}  // namespace hmsim
