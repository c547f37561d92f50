// SPDX-License-Identifier: BSD-3-Clause
// Are requests with causes issued when their causes are done?
#include "traces/causal_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/errors.h"

namespace hmsim::testing {
namespace {

BlockRequest request(std::uint64_t arrival_ns, std::uint64_t response_ns) {
  BlockRequest request;
  request.arrival_ns = arrival_ns;
  request.sectors = 8;
  request.completion_ns = arrival_ns + response_ns;
  return request;
}

using Numbers = std::vector<std::uint64_t>;

TEST(InferredOrder, ABurstWaitsForAllEarlierCompletions) {
  InferredOrder order;
  EXPECT_EQ(order.next(request(0, 100)).parents, Numbers());  // 0
  EXPECT_EQ(order.next(request(0, 300)).parents, Numbers());  // 1, in parallel
  const RequestCause join = order.next(request(350, 10));     // 2
  EXPECT_EQ(join.parents, Numbers({1, 0}));
  EXPECT_EQ(join.think_ns, 50u);
  const RequestCause sibling = order.next(request(350, 40));  // 3
  EXPECT_EQ(sibling.parents, Numbers());
  EXPECT_EQ(sibling.think_ns, 0u);
}

TEST(InferredOrder, WithOthersInFlightEachCompletionHasOneSuccessorTheOldestFirst) {
  InferredOrder order;
  order.next(request(0, 10));
  order.next(request(0, 20));
  order.next(request(0, 1'000));
  const RequestCause third = order.next(request(50, 1'000));
  EXPECT_EQ(third.parents, Numbers({0}));
  EXPECT_EQ(third.think_ns, 40u);
  const RequestCause fourth = order.next(request(60, 1'000));
  EXPECT_EQ(fourth.parents, Numbers({1}));
  EXPECT_EQ(fourth.think_ns, 40u);
  // No completion is left, so it follows the request before it.
  const RequestCause fifth = order.next(request(65, 1));
  EXPECT_EQ(fifth.parents, Numbers());
  EXPECT_EQ(fifth.think_ns, 5u);
}

// Bursts of independent requests arrive every 100 ns, whether one or three are in flight.
TEST(InferredOrder, ArrivalsIndependentOfRequestsInFlightAreOpen) {
  InferredOrder steady;
  InferredOrder waiting;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    steady.next(request(100 * i, i % 20 < 10 ? 20 : 250));
    waiting.next(request(100 * i, 80));
  }
  EXPECT_TRUE(steady.open());
  EXPECT_FALSE(waiting.open());
}

TEST(InferredOrder, TooManyRequestsInFlightAreRejected) {
  InferredOrder order;
  for (std::size_t i = 0; i < InferredOrder::kMostUnderWay; ++i) {
    order.next(request(i, 1'000'000'000));
  }
  EXPECT_THROW(order.next(request(2'000, 1)), InputError);
}

TEST(CausalQueue, ARequestBeginsItsThinkTimeAfterItsParent) {
  CausalQueue queue({0.5, 0, Tick(0)}, Random());
  queue.begin_pass(Tick(7));
  queue.add(request(0, 100));
  queue.add(request(300, 100));
  ASSERT_TRUE(queue.has_ready());
  EXPECT_EQ(queue.take(Tick(9)).begin, Tick(9));
  EXPECT_FALSE(queue.has_ready());
  queue.end(0, Tick(50));
  ASSERT_TRUE(queue.has_ready());
  EXPECT_EQ(queue.take(Tick(50)).begin, Tick(50 + 200'000 / 2));
}

TEST(CausalQueue, ThinkTimesAreDrawnAboutTheTraces) {
  CausalQueue queue({1, 0.5, Tick(0)}, Random(3));
  queue.begin_pass(Tick(0));
  std::int64_t sum = 0;
  Tick least = kNever;
  Tick most{0};
  for (std::uint64_t i = 0; i < 500; ++i) {
    queue.add(request(1'000 * i, 400));  // thinks for 600 ns
    ASSERT_TRUE(queue.has_ready());
    const CausalQueue::Ready ready = queue.take(Tick(0));
    if (i > 0) {
      sum += ready.begin.value();
      least = earlier(least, ready.begin);
      most = later(most, ready.begin);
    }
    queue.end(ready.serial, Tick(0));
  }
  EXPECT_GE(least, Tick(300'000));
  EXPECT_LE(least, Tick(310'000));
  EXPECT_GE(most, Tick(890'000));
  EXPECT_LE(most, Tick(900'000));
  EXPECT_NEAR(static_cast<double>(sum) / 499, 600'000, 20'000);
}

TEST(CausalQueue, ATraceWithoutCompletionsIsRejectedAtItsEnd) {
  CausalQueue queue({1, 0, Tick(0)}, Random());
  queue.begin_pass(Tick(0));
  BlockRequest silent = request(0, 0);
  silent.completion_ns.reset();
  queue.add(silent);
  EXPECT_THROW(queue.end_trace(), InputError);
}

}  // namespace
}  // namespace hmsim::testing
