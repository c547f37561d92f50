// SPDX-License-Identifier: BSD-3-Clause
// Does a bank's queue find the right best transaction after many keys have changed?
#include "controller/channel/bank_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "controller/channel/native_banks.h"
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

}  // namespace
}  // namespace hmsim
