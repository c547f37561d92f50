// SPDX-License-Identifier: BSD-3-Clause
// When do page policies close a row?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policies/policy.h"

namespace hmsim {
namespace {

std::unique_ptr<PagePolicy> make(const std::string& name, const Assignments& assignments = {}) {
  return create_policy<PagePolicy>(PolicyKind::page_policy, name, assignments);
}

constexpr Tick kNow = 7 * kMicrosecond;

PageDecision decide(PagePolicy& policy, std::int64_t accesses) {
  return policy.decide({0, 3, 17, 1, accesses, kNow});
}

TEST(PagePolicies, OpenPageClosesNothing) {
  const auto policy = make("open_page");
  EXPECT_TRUE(policy->keeps_rows_open()) << "so that nobody need ask";
  for (const std::int64_t accesses : {1, 4, 1000}) {
    EXPECT_EQ(decide(*policy, accesses).close_at, kNever);
    EXPECT_FALSE(decide(*policy, accesses).refuse_hits);
  }
}

// Policies that close rows are asked.
TEST(PagePolicies, NoneButOpenPageKeepsRowsOpen) {
  for (const std::string& name : policy_names(PolicyKind::page_policy)) {
    const auto policy = make(name);
    EXPECT_EQ(policy->keeps_rows_open(), name == "open_page") << name;
    EXPECT_EQ(decide(*policy, 1'000'000).close_at == kNever, name == "open_page") << name;
  }
}

TEST(PagePolicies, ClosedPageClosesAtOnceAndTakesHitsUntilThen) {
  const auto policy = make("closed_page");
  EXPECT_EQ(decide(*policy, 1).close_at, kNow);
  EXPECT_FALSE(decide(*policy, 1).refuse_hits);
}

TEST(PagePolicies, TimeoutPageClosesAfterItsTime) {
  EXPECT_EQ(decide(*make("timeout_page"), 1).close_at, kNow + 100 * kNanosecond);
  const auto policy = make("timeout_page", {{"policies.timeout_page.timeout", "60ns"}});
  EXPECT_EQ(decide(*policy, 1).close_at, kNow + 60 * kNanosecond);
  EXPECT_FALSE(decide(*policy, 1'000'000).refuse_hits);
}

TEST(PagePolicies, CappedPageClosesWithTheLastAccessOfItsCap) {
  for (const std::int64_t cap : {1, 2, 4}) {
    const auto policy =
        cap == 4 ? make("capped_page")
                 : make("capped_page", {{"policies.capped_page.cap", std::to_string(cap)}});
    for (std::int64_t accesses = 1; accesses <= 6; ++accesses) {
      const PageDecision decision = decide(*policy, accesses);
      EXPECT_EQ(decision.close_at, accesses < cap ? kNever : kNow) << cap << ", " << accesses;
      EXPECT_EQ(decision.refuse_hits, accesses >= cap) << cap << ", " << accesses;
    }
  }
}

}  // namespace
}  // namespace hmsim
