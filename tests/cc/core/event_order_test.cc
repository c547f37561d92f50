// SPDX-License-Identifier: BSD-3-Clause
#include "core/event_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"

namespace hmsim {
namespace {

TEST(EventOrder, FindsTheFirstTimeAndTheNextOfAnyNumber) {
  for (std::size_t count = 1; count <= 70; ++count) {
    Random random(count);
    EventOrder order;
    std::vector<Tick> times;
    for (std::size_t i = 0; i < count; ++i) {
      order.add();
      times.push_back(kNever);
      ASSERT_EQ(order[i], kNever);
    }
    for (int step = 0; step < 300; ++step) {
      const std::size_t index = random.below(count);
      times[index] =
          random.below(5) == 0 ? kNever : Tick(static_cast<std::int64_t>(random.below(9)));
      order.set(index, times[index]);
      const auto first = std::min_element(times.begin(), times.end());
      Tick second = kNever;
      for (auto each = times.begin(); each != times.end(); ++each) {
        second = each == first ? second : std::min(second, *each);
      }
      const EventOrder::First found = order.first();
      ASSERT_EQ(found.index, static_cast<std::size_t>(first - times.begin()));
      ASSERT_EQ(found.time, *first);
      ASSERT_EQ(found.second, second);
      ASSERT_EQ(order[index], times[index]);
    }
  }
}

TEST(EventOrder, KeepsTimesWhileComponentsAreAdded) {
  EventOrder order;
  for (std::int64_t i = 0; i < 40; ++i) {
    order.add();
    order.set(static_cast<std::size_t>(i), Tick(100 - i));
    EXPECT_EQ(order.first().index, static_cast<std::size_t>(i));
    EXPECT_EQ(order.first().second, i == 0 ? kNever : Tick(101 - i));
  }
}

}  // namespace
}  // namespace hmsim
