// SPDX-License-Identifier: BSD-3-Clause
// Do queues and lanes deliver events by time, and those of one time in the order of scheduling,
// also after they are saved and loaded?
#include "core/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "core/archive.h"
#include "core/event_lanes.h"
#include "core/random.h"

namespace hmsim {
namespace {

enum class Kind : std::uint8_t { only, last = only };

TEST(EventQueue, EventsMatchASortedList) {
  Random random(5);
  for (const std::uint64_t times : {1, 3, 40, 100'000}) {
    EventQueue<Kind> queue;
    std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> sorted;
    std::int64_t now = 0;
    for (std::uint32_t step = 0; step < 20'000; ++step) {
      // The queue fills up to some hundreds of events, and empties again.
      const std::uint64_t share = step / 500 % 2 == 0 ? 70 : 20;
      if (random.below(100) < share) {
        const std::int64_t time = now + static_cast<std::int64_t>(random.below(times));
        queue.schedule(Tick(time), Kind::only, step);
        sorted[{time, step}] = step;
      } else if (!sorted.empty()) {
        const auto first = sorted.begin();
        ASSERT_EQ(queue.next_time().value(), first->first.first);
        const auto event = queue.pop();
        ASSERT_EQ(event.time.value(), first->first.first);
        ASSERT_EQ(event.payload, first->second);
        now = event.time.value();
        sorted.erase(first);
      }
      ASSERT_EQ(queue.empty(), sorted.empty());
      ASSERT_EQ(queue.next_time() == kNever, sorted.empty());
    }
  }
}

// A saved queue holds the events (time, order, kind, payload) in any order, then the order of the
// next event. Loading must restore the heap.
TEST(EventQueue, ALoadedQueueIsInOrderForAnySavedOrder) {
  Archive saved;
  std::uint64_t count = 3;
  saved(count);
  for (std::int64_t time : {3, 1, 2}) {
    std::uint64_t order = 7;
    std::uint64_t kind = 0;
    std::uint64_t payload = 0;
    saved(time, order, kind, payload);
  }
  saved(count);
  EventQueue<Kind> queue;
  Archive loaded(saved.bytes());
  loaded(queue);
  for (const int time : {1, 2, 3}) {
    ASSERT_EQ(queue.next_time(), Tick(time));
    ASSERT_EQ(queue.pop().time, Tick(time));
  }
  EXPECT_TRUE(queue.empty());
}

enum class Step : std::uint8_t { only, last = only };

using Lanes = EventLanes<Step, 2>;
using Sorted = std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t>;

// Schedules events in the queue (0) or the lanes, mostly in order, and removes some; `sorted` does
// the same.
void use(Lanes& lanes, Sorted& sorted, Random& random, std::uint64_t times, std::uint32_t from) {
  std::int64_t now = 0;
  for (std::uint32_t step = from; step < from + 20'000; ++step) {
    const std::uint64_t share = step / 500 % 2 == 0 ? 70 : 20;
    if (random.below(100) < share) {
      const std::uint64_t where = random.below(3);
      const std::int64_t time = now + static_cast<std::int64_t>(random.below(times));
      if (where == 0) {
        lanes.schedule(Tick(time), Step::only, step);
      } else {
        lanes.schedule_in(where - 1, Tick(time), Step::only, step);
      }
      sorted[{time, step}] = step;
    } else if (!sorted.empty()) {
      const auto first = sorted.begin();
      ASSERT_EQ(lanes.next_time().value(), first->first.first);
      const auto event = lanes.pop();
      ASSERT_EQ(event.time.value(), first->first.first);
      ASSERT_EQ(event.payload, first->second);
      now = event.time.value();
      sorted.erase(first);
    }
  }
}

TEST(EventLanes, EventsMatchASortedList) {
  Random random(6);
  for (const std::uint64_t times : {1, 3, 40, 100'000}) {
    Lanes lanes;
    Sorted sorted;
    use(lanes, sorted, random, times, 0);
    Archive saved;
    saved(lanes);
    Lanes loaded;
    Archive archive(saved.bytes());
    archive(loaded);
    while (!sorted.empty()) {
      ASSERT_EQ(lanes.pop().payload, sorted.begin()->second);
      ASSERT_EQ(loaded.pop().payload, sorted.begin()->second);
      sorted.erase(sorted.begin());
    }
    EXPECT_EQ(lanes.next_time(), kNever);
    EXPECT_EQ(loaded.next_time(), kNever);
  }
}

}  // namespace
}  // namespace hmsim
