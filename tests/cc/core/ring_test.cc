// SPDX-License-Identifier: BSD-3-Clause
// Does a queue keep its order, saved or not, and refuse a state that does not hold together?
#include "core/ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"

namespace hmsim {
namespace {

using Slots = std::vector<std::uint64_t>;

// The bytes of a queue whose slots, place of the first and number of elements are these.
std::string state(Slots slots, std::size_t head, std::size_t count) {
  Archive archive;
  archive(slots, head, count);
  return archive.bytes();
}

void load(const std::string& bytes) {
  Archive archive(bytes);
  Ring<std::uint64_t> ring;
  ring.serialize(archive);
}

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

TEST(Ring, AStateThatDoesNotHoldTogetherIsRefused) {
  load(state({}, 0, 0));
  load(state(Slots(8), 7, 8));
  EXPECT_THROW(load(state({}, 1, 0)), InputError);
  EXPECT_THROW(load(state(Slots(8), 8, 0)), InputError);  // one place behind the last
  EXPECT_THROW(load(state(Slots(8), 0, 9)), InputError);
  EXPECT_THROW(load(state(Slots(6), 0, 0)), InputError);
}

}  // namespace
}  // namespace hmsim
