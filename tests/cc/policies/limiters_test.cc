// SPDX-License-Identifier: BSD-3-Clause
// Do limiters of the host queue count entries and periods as their rules say?
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "policies/host_limiter.h"

namespace hmsim::testing {
namespace {

constexpr std::uint16_t kSource = 3;

std::unique_ptr<HostLimiter> limiter(const std::string& name, std::int64_t entries,
                                     const Assignments& assignments = {}) {
  auto made = create_policy<HostLimiter>(PolicyKind::host_limiter, name, assignments);
  made->connect({entries, entries});
  return made;
}

HostView held(std::int64_t slow, Tick now = Tick(0)) {
  HostView view{};
  view.now = now;
  view.held = {0, slow};
  return view;
}

// Returns the slow requests that may hold an entry at once, up to 100.
std::int64_t limit_of(HostLimiter& limiter) {
  std::int64_t slow = 0;
  while (slow < 100 && limiter.admits(Tier::slow, kSource, held(slow))) {
    ++slow;
  }
  return slow;
}

// The limit is half of the entries held at the first full queue: 32. Slow requests leave one by
// one; until they hold 32, further full queues halve nothing.
TEST(Yield, TheLimitFallsOnceUntilSlowRequestsHaveLeft) {
  const auto yield = limiter("yield", 64);
  EXPECT_EQ(limit_of(*yield), 64);
  for (std::int64_t slow = 64; slow > 32; --slow) {
    yield->on_full(Tier::fast, held(slow));
    EXPECT_EQ(limit_of(*yield), 32) << slow;
  }
  yield->on_full(Tier::fast, held(32));
  EXPECT_EQ(limit_of(*yield), 16);
}

class TokenRegulator : public ::testing::Test {
 protected:
  // Returns the slow requests of a source that enter at `now`, up to 100.
  int entered(Tick now, std::uint16_t source = kSource) {
    int count = 0;
    for (; count < 100 && regulator_->admits(Tier::slow, source, held(0, now)); ++count) {
      regulator_->on_enter(Tier::slow, source, held(0, now));
    }
    return count;
  }

  const std::unique_ptr<HostLimiter> regulator_ = limiter(
      "token_regulator", 64,
      {{"policies.token_regulator.period", "2us"}, {"policies.token_regulator.slow_budget", "5"}});
};

// A source that sends nothing for periods has one budget afterwards: none is lost, none is saved.
TEST_F(TokenRegulator, ASourceHasOneBudgetAfterIdlePeriods) {
  for (const std::int64_t period : {0, 1, 4, 5, 105}) {
    const Tick begin = 2 * period * kMicrosecond;
    EXPECT_EQ(entered(begin), 5) << period;
    EXPECT_EQ(entered(begin), 0) << period;
    EXPECT_EQ(entered(begin + 2 * kMicrosecond - Tick(1)), 0) << period;
  }
}

// Also if it sends its first request late, or sent less than its budget before.
TEST_F(TokenRegulator, TokensExpire) {
  constexpr std::uint16_t kLate = 9;
  EXPECT_TRUE(regulator_->admits(Tier::slow, kSource, held(0)));
  regulator_->on_enter(Tier::slow, kSource, held(0));
  EXPECT_EQ(entered(6 * kMicrosecond), 5);
  EXPECT_EQ(entered(6 * kMicrosecond, kLate), 5);
  EXPECT_EQ(entered(7 * kMicrosecond, kLate), 0);
}

}  // namespace
}  // namespace hmsim::testing
