// SPDX-License-Identifier: BSD-3-Clause
// Is every waiting bank returned at exactly the cycle that it waits for?
#include "controller/channel/waiting_banks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "core/random.h"

namespace hmsim::testing {
namespace {

TEST(WaitingBanks, AreCalledAtTheirCycle) {
  WaitingBanks waiting;
  std::map<std::int32_t, std::int64_t> called;  // by bank
  Random random(11);
  const auto first = [&called] {
    std::int64_t cycle = kNeverCycle.value();
    for (const auto& [bank, at] : called) {
      cycle = earlier(cycle, at);
    }
    return cycle;
  };
  for (std::int64_t now = 1; now < 20'000; ++now) {
    while (waiting.next() <= now) {
      ASSERT_EQ(waiting.next(), now);
      for (std::uint64_t banks = waiting.take(); banks != 0; banks &= banks - 1) {
        const auto bank = static_cast<std::int32_t>(__builtin_ctzll(banks));
        ASSERT_EQ(called.at(bank), now);
        called.erase(bank);
      }
    }
    const auto bank = static_cast<std::int32_t>(random.below(64));
    const std::uint64_t bit = std::uint64_t{1} << bank;
    if (random.below(3) == 0 && called.count(bank) == 0) {
      called[bank] = now + 1 + static_cast<std::int64_t>(random.below(WaitingBanks::kLongest));
      waiting.insert(bit, called[bank]);
    } else if (random.below(9) == 0 && called.count(bank) != 0) {
      waiting.erase(bit, called[bank], now);
      called.erase(bank);
    }
    ASSERT_EQ(waiting.next(), first());
    if (random.below(50) == 0) {  // a pause without events
      now = earlier(waiting.next() - 1, now + 500);
    }
  }
}

TEST(WaitingBanks, OnceClearedNoneWaits) {
  WaitingBanks waiting;
  waiting.insert(1, 7);
  waiting.insert(2, 7 + WaitingBanks::kLongest);
  waiting.clear();
  EXPECT_EQ(waiting.next(), kNeverCycle.value());
  waiting.insert(4, 7);
  EXPECT_EQ(waiting.take(), 4u);
  EXPECT_EQ(waiting.next(), kNeverCycle.value());
}

}  // namespace
}  // namespace hmsim::testing
