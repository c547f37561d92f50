// SPDX-License-Identifier: BSD-3-Clause
// Does a bank's queue find the right best transaction after many keys have changed?
// Does the winner tree agree with a search of all banks?
#include "controller/channel/bank_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "controller/channel/native_banks.h"
#include "controller/hbf/bank_leaders.h"
#include "core/random.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"

namespace hmsim {
namespace {

constexpr std::size_t kTransactions = 4;

TEST(BankQueue, IsSortedAgainByKeysThatChanged) {
  std::array<Transaction, kTransactions> all{};
  BankQueue queue;
  for (std::size_t i = 0; i < kTransactions; ++i) {
    all[i].request.id = i;
    all[i].row = static_cast<std::int64_t>(i);
    all[i].key_miss = all[i].key_hit = 10 + i;
    queue.insert(all[i], kNoRow);
  }
  EXPECT_EQ(&queue.best(kNoRow), &all[3]);
  for (std::size_t i = 0; i < kTransactions; ++i) {
    all[i].key_miss = all[i].key_hit = 20 - i;
  }
  queue.rebuild();
  for (Transaction& next : all) {  // the first has the largest key now
    ASSERT_FALSE(queue.empty());
    EXPECT_EQ(&queue.best(kNoRow), &next);
    queue.remove(next);
  }
  EXPECT_TRUE(queue.empty());
}

// Covers both sides, reads and writes.
TEST(BankQueue, BanksAreSortedAgainByKeysThatChanged) {
  DramParameters dram;
  dram.resolve();
  for (const std::size_t side : {0, 1}) {
    TransactionPool pool{4};
    TimingEngine engine{timing_rules(dram), static_cast<int>(dram.ranks) + 1,
                        static_cast<int>(dram.organisation.groups),
                        static_cast<int>(dram.organisation.banks)};
    NativeBanks banks{dram, engine, pool};
    banks.compete(side, Cycle(0));
    std::array<Transaction*, 2> both{&pool.take(), &pool.take()};
    for (std::size_t i = 0; i < both.size(); ++i) {
      both[i]->request.id = i;
      both[i]->row = static_cast<std::int64_t>(i);
      both[i]->key_miss = both[i]->key_hit = 1 + i;
      banks.insert(*both[i], side, Cycle(0));
    }
    banks.look_ahead();
    ASSERT_NE(banks.select_row(banks.next()), nullptr);
    EXPECT_EQ(banks.select_row(banks.next())->transaction, both[1]);
    both[0]->key_miss = both[0]->key_hit = 3;
    banks.rebuild(Cycle(0));
    banks.look_ahead();
    ASSERT_NE(banks.select_row(banks.next()), nullptr);
    EXPECT_EQ(banks.select_row(banks.next())->transaction, both[0]);
  }
}

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
