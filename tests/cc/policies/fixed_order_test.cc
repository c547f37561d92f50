// SPDX-License-Identifier: BSD-3-Clause
// Are the keys of schedulers with a fixed order really that simple?
#include <gtest/gtest.h>

#include <string>

#include "core/errors.h"
#include "policies/policy.h"
#include "tests/cc/policies/rig.h"

namespace hmsim::testing {
namespace {

TEST(FixedOrder, MatchesTheKeys) {
  int simple = 0;
  for (const std::string& name : policy_names(PolicyKind::transaction_scheduler)) {
    const auto policy = create_policy(PolicyKind::transaction_scheduler, name, {});
    const auto& scheduler = static_cast<const TransactionScheduler&>(*policy);
    if (scheduler.fixed_order() == FixedOrder::none) {
      continue;
    }
    ++simple;
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      RequestView view = view_of(memory, 3);
      EXPECT_EQ(scheduler.key(view), 0U) << name;
      EXPECT_FALSE(scheduler.withholds(view)) << name;
      view.write = true;
      view.row_hit = true;
      EXPECT_EQ(scheduler.key(view), scheduler.fixed_order() == FixedOrder::hits_first ? 1U : 0U)
          << name;
    }
  }
  EXPECT_EQ(simple, 2);  // fcfs, fr_fcfs
}

TEST(Policies, AreCreatedForTheirOwnKindOnly) {
  for (const std::string& name : policy_names(PolicyKind::transaction_scheduler)) {
    EXPECT_THROW(create_policy(PolicyKind::bus_arbiter, name, {}), InputError) << name;
  }
}

}  // namespace
}  // namespace hmsim::testing
