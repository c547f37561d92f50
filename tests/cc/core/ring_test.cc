// SPDX-License-Identifier: BSD-3-Clause
// Does a queue keep its order across a save?
#include "core/ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "core/archive.h"
#include "core/random.h"

namespace hmsim {
namespace {

TEST(Ring, IsAQueueAcrossCheckpoints) {
  Random random(1);
  Ring<std::uint64_t> ring;
  std::deque<std::uint64_t> model;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    if (random.below(5) < 3) {
      ring.push(i);
      model.push_back(i);
    } else if (!model.empty()) {
      ASSERT_EQ(ring.front(), model.front());
      ring.pop();
      model.pop_front();
    }
    if (random.below(10) == 0) {
      Archive saved;
      ring.serialize(saved);
      Archive archive(saved.bytes());
      ring = {};
      ring.serialize(archive);
    }
    ASSERT_EQ(ring.size(), model.size());
  }
}

// A saved queue holds its entries but not their position and the capacity, so queues with equal
// entries are saved alike.
TEST(Ring, EqualQueuesHaveEqualSavedStates) {
  Ring<std::uint64_t> one;
  Ring<std::uint64_t> other;
  for (std::uint64_t i = 0; i < 20; ++i) {
    one.push(i);
  }
  for (std::uint64_t i = 0; i < 18; ++i) {
    one.pop();
  }
  other.push(18);
  other.push(19);
  Archive saved;
  one.serialize(saved);
  Archive again;
  other.serialize(again);
  EXPECT_EQ(saved.bytes(), again.bytes());
}

}  // namespace
}  // namespace hmsim
