// SPDX-License-Identifier: BSD-3-Clause
// Are the pages written last the same as in a list searched from its end?
#include "traces/last_writes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"

namespace hmsim::testing {
namespace {

TEST(LastWrites, MatchAPlainList) {
  Random random(5);
  for (const std::size_t most : {1u, 2u, 7u, 100u}) {
    LastWrites writes(most);
    std::vector<std::uint64_t> plain;  // newest first
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t page = random.below(40) * (std::uint64_t{1} << 30);
      writes.write(page);
      plain.erase(std::remove(plain.begin(), plain.end(), page), plain.end());
      plain.insert(plain.begin(), page);
      plain.resize(std::min(plain.size(), most));
      ASSERT_EQ(writes.newest_first(), plain);
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
