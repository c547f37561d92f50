// SPDX-License-Identifier: BSD-3-Clause
// Which requests are done, in any order of completion?
#include "check/request_ledger.h"

#include <gtest/gtest.h>

#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

TEST(RequestLedger, TracksCompletedRequests) {
  RequestLedger ledger;
  EXPECT_EQ(ledger.oldest_missing(), 0u);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const std::uint64_t request = i ^ 0x2AAA;  // far out of order
    EXPECT_TRUE(ledger.mark(request));
    EXPECT_FALSE(ledger.mark(request));
  }
  EXPECT_FALSE(ledger.mark(0));
  RequestLedger loaded;
  copy_state(ledger, loaded);
  EXPECT_FALSE(loaded.mark(49'000));
  EXPECT_EQ(loaded.oldest_missing(), ledger.oldest_missing());
  while (loaded.oldest_missing() < loaded.end()) {
    EXPECT_TRUE(loaded.mark(loaded.oldest_missing()));
  }
}

}  // namespace
}  // namespace hmsim::testing
