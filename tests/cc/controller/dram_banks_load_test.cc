// SPDX-License-Identifier: BSD-3-Clause
// Does loading a state into DRAM banks remove the previous state?
#include <gtest/gtest.h>

#include "controller/channel/native_banks.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

DramParameters two_ranks() {
  DramParameters dram;
  dram.ranks = 2;
  dram.resolve();
  return dram;
}

// Channel parts without requests.
struct Channel {
  const DramParameters dram = two_ranks();
  TransactionPool pool{4};
  TimingEngine engine{timing_rules(dram), static_cast<int>(dram.ranks) + 1,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks)};
  NativeBanks banks{dram, engine, pool};
};

// After loading, the caller must state again which ranks are held.
TEST(DramBanksLoad, ALoadedStateHoldsNoRankBack) {
  for (const std::int32_t rank : {0, 1}) {
    Channel channel;
    const std::string state = state_of(channel.banks);
    channel.banks.hold(rank, true);
    Archive archive(state);
    channel.banks.serialize(archive);
    channel.banks.restored(Cycle(0));
    Transaction& transaction = channel.pool.take();
    transaction.bank = rank * static_cast<std::int32_t>(channel.dram.organisation.banks);
    transaction.row = 3;
    channel.banks.insert(transaction, 0, Cycle(0));
    channel.banks.look_ahead();
    ASSERT_LT(channel.banks.next(), kNeverCycle);
    EXPECT_NE(channel.banks.select_row(channel.banks.next()), nullptr);
  }
}

// Transactions queued before loading are removed.
TEST(DramBanksLoad, ALoadedStateHasNoRequests) {
  for (const std::size_t side : {0, 1}) {
    Channel empty;
    const std::string state = state_of(empty.banks);
    Channel channel;
    Transaction& transaction = channel.pool.take();
    transaction.row = 3;
    channel.banks.compete(side, Cycle(0));
    channel.banks.insert(transaction, side, Cycle(0));
    channel.banks.look_ahead();
    EXPECT_LT(channel.banks.next(), kNeverCycle);
    Archive archive(state);
    channel.banks.serialize(archive);
    channel.banks.restored(Cycle(0));
    channel.banks.compete(side, Cycle(0));
    channel.banks.look_ahead();
    EXPECT_EQ(channel.banks.next(), kNeverCycle);
  }
}

}  // namespace
}  // namespace hmsim::testing
