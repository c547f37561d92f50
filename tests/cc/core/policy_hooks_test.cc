// SPDX-License-Identifier: BSD-3-Clause
// Does the controller know which hooks a policy overrides?
#include <gtest/gtest.h>

#include "policies/policy.h"

namespace hmsim {
namespace {

class Silent : public TransactionScheduler {
 public:
  std::uint64_t key(const RequestView& /*request*/) const override { return 0; }
};

class Listening : public Silent {
 public:
  void on_issue(const RequestView& /*request*/, Tick /*now*/) override {}
  void on_complete(const RequestView& /*request*/, Tick /*now*/) override {}
};

class Heir final : public Listening {
 public:
  void on_enqueue(const RequestView& /*request*/, Tick /*now*/) override {}
};

template <class P>
unsigned hooks() {
  const std::unique_ptr<Policy> made = make_policy<P>();
  const auto& policy = static_cast<const TransactionPolicy&>(*made);
  unsigned wanted = 0;
  for (const auto hook :
       {TransactionPolicy::kEnqueue, TransactionPolicy::kCommand, TransactionPolicy::kIssue,
        TransactionPolicy::kAck, TransactionPolicy::kComplete}) {
    wanted |= policy.wants(hook) ? static_cast<unsigned>(hook) : 0U;
  }
  return wanted;
}

TEST(PolicyHooks, OnlyOverriddenOnesAreWanted) {
  EXPECT_EQ(hooks<Silent>(), 0U);
  EXPECT_EQ(hooks<Listening>(),
            static_cast<unsigned>(TransactionPolicy::kIssue | TransactionPolicy::kComplete));
}

TEST(PolicyHooks, InheritedOverridesCount) {
  EXPECT_EQ(hooks<Heir>(),
            static_cast<unsigned>(TransactionPolicy::kEnqueue | TransactionPolicy::kIssue |
                                  TransactionPolicy::kComplete));
}

}  // namespace
}  // namespace hmsim
