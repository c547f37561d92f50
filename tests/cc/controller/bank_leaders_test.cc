// SPDX-License-Identifier: BSD-3-Clause
// Does the winner tree agree with a search of all banks?
#include "controller/hbf/bank_leaders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hmsim {
namespace {

TEST(BankLeaders, TheBestHasTheLargestKeyAndThenTheOldestRequest) {
  Random random(3);
  for (const std::size_t banks : {1, 2, 3, 16, 64}) {
    BankLeaders leaders(banks);
    std::vector<Transaction> own(banks);
    std::vector<std::pair<std::uint64_t, bool>> keys(banks);  // and whether the bank has a leader
    for (std::uint64_t step = 1; step < 5'000; ++step) {
      const auto bank = static_cast<std::size_t>(random.below(banks));
      keys[bank] = {random.below(4), random.below(3) != 0};
      own[bank].request.id = step;
      leaders.set(bank, keys[bank].second ? &own[bank] : nullptr, keys[bank].first);
      const Transaction* best = nullptr;
      std::uint64_t best_key = 0;
      for (std::size_t i = 0; i < banks; ++i) {
        const auto [key, has] = keys[i];
        if (has && (best == nullptr || key > best_key ||
                    (key == best_key && own[i].request.id < best->request.id))) {
          best = &own[i];
          best_key = key;
        }
      }
      ASSERT_EQ(leaders.best(), best);
    }
  }
}

}  // namespace
}  // namespace hmsim
