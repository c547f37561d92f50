// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which a bank has a row that is none, or a date that is none? What
// else is left of the state before?
#include <gtest/gtest.h>

#include <vector>

#include "controller/accounts/bus_accounting.h"
#include "controller/accounts/latency_split.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/refresh.h"
#include "core/errors.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr auto kNoCycle = static_cast<std::uint64_t>(kNeverCycle.value());

DramParameters two_ranks() {
  DramParameters dram;
  dram.ranks = 2;
  dram.resolve();
  return dram;
}

// Without requests.
struct Channel {
  std::size_t ranks() const { return static_cast<std::size_t>(dram.ranks); }
  std::size_t in_all() const { return ranks() * static_cast<std::size_t>(dram.organisation.banks); }

  const DramParameters dram = two_ranks();
  TransactionPool pool{4};
  TimingEngine engine{timing_rules(dram), static_cast<int>(dram.ranks) + 1,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks)};
  NativeBanks banks{dram, engine, pool};
  RefreshControl refresh{dram, engine, banks};
  LatencySplit split{dram, dram.clock_period(), refresh};
};

template <class Part>
std::string saved(Part& part) {
  Archive archive;
  part.serialize(archive);
  return archive.bytes();
}

// The state with one word changed is taken as it is, or refused.
template <class Part>
bool is_taken(Part& part, const std::string& state, std::size_t word, std::uint64_t value) {
  const std::string changed = with_word(state, word * kWordBytes, value);
  Archive archive(changed);
  try {
    part.serialize(archive);
  } catch (const InputError&) {
    return false;
  }
  EXPECT_EQ(saved(part), changed);
  return true;
}

TEST(BankDamage, AnOpenRowIsARowOrOneOfTwoMarks) {
  Channel channel;
  const std::string state = saved(channel.banks);
  const std::size_t first = 1 + 2 * channel.ranks();  // behind what blocks banks of ranks
  for (std::size_t word = first; word < first + channel.in_all(); ++word) {
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{7}, kNoRow, kClosingRow}) {
      EXPECT_TRUE(is_taken(channel.banks, state, word, static_cast<std::uint64_t>(row))) << row;
    }
    EXPECT_FALSE(is_taken(channel.banks, state, word, static_cast<std::uint64_t>(kClosingRow - 1)));
    EXPECT_FALSE(is_taken(channel.banks, state, word, kNoCycle));
  }
}

TEST(BankDamage, CyclesOfABusAreCounted) {
  const Channel channel;
  BusAccounting accounting(channel.dram, channel.dram.clock_period());
  const std::string state = saved(accounting);
  constexpr std::size_t kCounts = kBusLosses + 4;  // and without requests: now, at the last burst
  for (std::size_t word = 0; word < kCounts; ++word) {
    EXPECT_TRUE(is_taken(accounting, state, word, 0)) << word;
    EXPECT_TRUE(is_taken(accounting, state, word, (std::uint64_t{1} << 51) - 1)) << word;
    EXPECT_FALSE(is_taken(accounting, state, word, std::uint64_t{1} << 51)) << word;
    EXPECT_FALSE(is_taken(accounting, state, word, ~std::uint64_t{0})) << word;
  }
}

// It holds nothing, NVDIMM requests only, or DRAM requests too; then come three dates.
TEST(BankDamage, ABusIsInOneOfThreeStatesSinceADate) {
  const Channel channel;
  BusAccounting accounting(channel.dram, channel.dram.clock_period());
  const std::string state = saved(accounting);
  constexpr std::size_t kState = kBusLosses + 4;  // behind the counts
  for (const std::uint64_t known : {0, 1, 2}) {
    EXPECT_TRUE(is_taken(accounting, state, kState, known)) << known;
  }
  for (const std::uint64_t unknown : {std::uint64_t{3}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(is_taken(accounting, state, kState, unknown)) << unknown;
  }
  for (std::size_t word = kState + 1; word <= kState + 3; ++word) {
    EXPECT_TRUE(is_taken(accounting, state, word, 3)) << word;
    EXPECT_FALSE(is_taken(accounting, state, word, kNoCycle)) << word;
  }
}

TEST(BankDamage, EachDateOfABankAndOfARefreshIsOne) {
  Channel channel;
  const std::string state = saved(channel.split);
  const std::size_t end = state.size() / kWordBytes;
  const std::size_t places = end - 4 * channel.ranks();
  for (std::size_t word = places - 3 * channel.in_all(); word < end; ++word) {
    const bool may_never_come = word >= places && (word - places) % 4 == 2;  // the next refresh
    EXPECT_EQ(is_taken(channel.split, state, word, kNoCycle), may_never_come) << word;
    EXPECT_TRUE(is_taken(channel.split, state, word, 3)) << word;
  }
}

TEST(BankDamage, ReadsOrWritesHaveTheBanks) {
  Channel channel;
  const std::string state = saved(channel.banks);
  const std::size_t side = state.size() / kWordBytes - 1;
  EXPECT_TRUE(is_taken(channel.banks, state, side, 0));
  EXPECT_TRUE(is_taken(channel.banks, state, side, 1));
  EXPECT_FALSE(is_taken(channel.banks, state, side, 2));
}

// Which ranks start nothing is told again behind loading.
TEST(BankDamage, ALoadedStateHoldsNoRankBack) {
  for (const std::int32_t rank : {0, 1}) {
    Channel channel;
    const std::string state = saved(channel.banks);
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

// Whatever was queued where the state is loaded.
TEST(BankDamage, ALoadedStateHasNoRequests) {
  for (const std::size_t side : {0, 1}) {
    Channel empty;
    const std::string state = saved(empty.banks);
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
