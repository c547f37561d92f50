// SPDX-License-Identifier: BSD-3-Clause
// Do banks that query a timing model offer the same commands as banks that keep masks of ready
// banks? Both use native engines and get the same traffic.
#include "controller/channel/polled_banks.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "controller/channel/native_banks.h"
#include "core/random.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"

namespace hmsim::testing {
namespace {

constexpr std::size_t kSlots = 24;
constexpr int kEdges = 40'000;

DramParameters part(const char* preset) {
  DramParameters dram;
  dram.preset = preset;
  dram.ranks = 2;
  dram.resolve();
  return dram;
}

class BothBanks {
 public:
  BothBanks(const DramParameters& dram, const std::vector<TimingRule>& rules)
      : pools_{TransactionPool(kSlots), TransactionPool(kSlots)},
        engines_{engine_of(dram, rules), engine_of(dram, rules)} {
    if (const CommandProtocol* const protocol = dram.standard->protocol) {
      slots_ = std::make_unique<CommandSlots>(dram, *protocol);
    }
    banks_[0] = std::make_unique<NativeBanks>(dram, engines_[0], pools_[0], slots_.get());
    banks_[1] = std::make_unique<PolledBanks>(dram, engines_[1], pools_[1], slots_.get());
  }
  // Returns the edge of the command itself.
  Cycle take_slots(Command command, int rank, Cycle edge) {
    if (slots_ == nullptr) {
      return edge;
    }
    const Cycle lead = slots_->lead(command, rank, edge);
    slots_->take(command, rank, edge);
    return edge + lead;
  }

  template <class F>
  void each(F f) {
    for (std::size_t i = 0; i < banks_.size(); ++i) {
      f(*banks_[i], pools_[i]);
    }
  }
  TransactionPool& pool() { return pools_[0]; }
  DramBanks& banks() { return *banks_[0]; }

 private:
  static TimingEngine engine_of(const DramParameters& dram, const std::vector<TimingRule>& rules) {
    return {rules, static_cast<int>(dram.ranks) + 1, static_cast<int>(dram.organisation.groups),
            static_cast<int>(dram.organisation.banks)};
  }

  std::array<TransactionPool, 2> pools_;
  std::array<TimingEngine, 2> engines_;
  std::unique_ptr<CommandSlots> slots_;  // for standards that have them
  std::array<std::unique_ptr<DramBanks>, 2> banks_;
};

void expect_same(const Best* one, const Best* other, const char* what, int edge) {
  ASSERT_EQ(one == nullptr, other == nullptr) << what << " on edge " << edge;
  if (one != nullptr) {
    ASSERT_EQ(one->transaction->slot, other->transaction->slot) << what << " on edge " << edge;
    ASSERT_EQ(one->command, other->command) << what << " on edge " << edge;
  }
}

// Runs both kinds of banks on one random history of requests, holds and blocks.
class Lockstep {
 public:
  // `keyed`: keys differ; otherwise all hits have the same key, and the oldest is best. `drained`:
  // reads and writes compete in turn; otherwise together. `more`: rules in addition to the part's.
  Lockstep(const char* preset, bool keyed, bool drained, const std::vector<TimingRule>& more)
      : dram_(part(preset)), keyed_(keyed), drained_(drained), both_(dram_, rules_with(more)) {
    both_.each([&](DramBanks&, TransactionPool& pool) {
      free_.clear();
      for (std::size_t i = 0; i < kSlots; ++i) {
        free_.push_back(pool.take().slot);
      }
    });
  }

  void do_edge(int number) {
    const Cycle edge(number);
    arrive(edge);
    disturb(edge);
    const std::optional<Best> best = offered(edge, number);
    if (best) {
      issue(*best, edge);
    }
    both_.each([&](DramBanks& banks, TransactionPool&) { banks.look_ahead(); });
  }

  int data_commands() const { return data_commands_; }

 private:
  std::size_t side_of(const Transaction& transaction) const {
    return drained_ && transaction.request.write ? 1 : 0;
  }
  std::vector<TimingRule> rules_with(const std::vector<TimingRule>& more) const {
    std::vector<TimingRule> rules = timing_rules(dram_);
    rules.insert(rules.end(), more.begin(), more.end());
    return rules;
  }
  std::int32_t banks_per_rank() const {
    return static_cast<std::int32_t>(dram_.organisation.banks);
  }
  std::uint64_t banks_in_all() const {
    return static_cast<std::uint64_t>(dram_.ranks * dram_.organisation.banks);
  }

  void arrive(Cycle edge) {
    if (free_.empty() || random_.below(5) != 0) {
      return;
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Transaction fresh;
    fresh.request.id = next_request_++;
    fresh.request.write = random_.below(3) == 0;
    fresh.bank = static_cast<std::int32_t>(random_.below(banks_in_all()));
    fresh.rank = fresh.bank / banks_per_rank();
    fresh.row = static_cast<std::int64_t>(random_.below(3));
    fresh.key_miss = keyed_ ? 2 * random_.below(3) : 0;
    fresh.key_hit = fresh.key_miss + 1;
    both_.each([&](DramBanks& banks, TransactionPool& pool) {
      fresh.slot = slot;
      pool[slot] = fresh;
      banks.insert(pool[slot], side_of(fresh), edge);
    });
  }

  // Changes the direction, holds a rank, or blocks one of the last two banks.
  void disturb(Cycle edge) {
    if (drained_ && random_.below(200) == 0) {
      side_ = 1 - side_;
      both_.each([&](DramBanks& banks, TransactionPool&) { banks.compete(side_, edge); });
    }
    if (random_.below(100) == 0) {
      const bool held = random_.below(2) == 0;
      both_.each([&](DramBanks& banks, TransactionPool&) { banks.hold(0, held); });
    }
    if (random_.below(100) == 0) {
      const std::size_t which = random_.below(2);
      const auto bank = static_cast<std::int32_t>(banks_in_all() - 1 - which);
      blocked_[which] = !blocked_[which];
      const std::int32_t rank = bank / banks_per_rank();
      const std::uint64_t bit = std::uint64_t{1} << (bank % banks_per_rank());
      both_.each([&](DramBanks& banks, TransactionPool&) {
        if (blocked_[which]) {
          banks.block(rank, bit, DramBanks::Cause::refresh, edge);
        } else {
          banks.unblock(rank, bit, DramBanks::Cause::refresh, edge);
        }
      });
    }
  }

  // Expects the same offers from both. Returns the one to issue.
  std::optional<Best> offered(Cycle edge, int number) {
    std::array<Candidates, 2> found;
    std::size_t which = 0;
    both_.each([&](DramBanks& banks, TransactionPool&) {
      banks.collect(edge, Cycle(dram_.standard->protocol == nullptr ? 4 : 0), found[which]);
      banks.collect_others(edge, found[which]);
      ++which;
    });
    const Best* const data = found[0].legal[0];
    expect_same(data, found[1].legal[0], "legal", number);
    expect_same(found[0].near[0], found[1].near[0], "near", number);
    expect_same(found[0].other, found[1].other, "other", number);
    if (dram_.standard->protocol == nullptr) {
      both_.each([&](DramBanks& banks, TransactionPool&) {
        expect_same(data, banks.select_burst(edge, keyed_), "burst", number);
        if (data == nullptr) {
          expect_same(found[0].other, banks.select_row(edge), "row", number);
        }
      });
    }
    const Best* const best = data != nullptr ? data : found[0].other;
    return best == nullptr ? std::nullopt : std::optional<Best>(*best);
  }

  void issue(const Best& best, Cycle edge) {
    const Transaction issued = *best.transaction;
    const bool row = best.command == Command::activate || best.command == Command::precharge;
    const Cycle start = both_.take_slots(best.command, issued.rank, edge);
    both_.each([&](DramBanks& banks, TransactionPool& pool) {
      pool[issued.slot].started = true;
      if (best.command == Command::activate) {
        banks.activate(pool[issued.slot], edge);
      } else if (best.command == Command::precharge) {
        banks.precharge(issued.bank, edge);
      } else {
        banks.column(pool[issued.slot], side_of(issued), best.command, edge, start);
      }
    });
    if (!row) {
      free_.push_back(issued.slot);
      ++data_commands_;
    }
  }

  DramParameters dram_;
  bool keyed_;
  bool drained_;
  BothBanks both_;
  Random random_{7};
  std::vector<std::uint32_t> free_;  // slots
  std::uint64_t next_request_ = 0;
  std::size_t side_ = 0;
  std::array<bool, 2> blocked_{};  // the last two banks
  int data_commands_ = 0;
};

void run(const char* preset, bool keyed, bool drained, const std::vector<TimingRule>& more = {}) {
  Lockstep lockstep(preset, keyed, drained, more);
  for (int i = 0; i < kEdges; ++i) {
    lockstep.do_edge(i);
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
  EXPECT_GT(lockstep.data_commands(), kEdges / 20);
}

class PolledBanksOf : public ::testing::TestWithParam<const char*> {};

TEST_P(PolledBanksOf, MatchNativeBanks) { run(GetParam(), false, true); }
TEST_P(PolledBanksOf, MatchNativeBanksByKey) { run(GetParam(), true, true); }
TEST_P(PolledBanksOf, MatchNativeBanksIfReadsAndWritesCompete) {
  run(GetParam(), false, false);
  run(GetParam(), true, false);
}

// As for parts whose reads and writes wait differently for their row: a bank that was ready for one
// may have to wait for the other.
TEST_P(PolledBanksOf, MatchNativeBanksIfReadsAndWritesWaitForRowsDifferently) {
  for (const Command later : {Command::read, Command::write}) {
    run(GetParam(), true, false, {{Command::activate, later, Scope::bank, 60}});
  }
}

INSTANTIATE_TEST_SUITE_P(Each, PolledBanksOf,
                         ::testing::Values("ddr3_1600_4gb_x8", "ddr4_2400t_8gb_x8",
                                           "ddr5_4800b_16gb_x8", "lpddr5_6400_8gb_x16",
                                           "hbm3_6400_4h_2gb_x32"));

// next() is never later than the first legal command, and is kNeverCycle after the last one was
// issued.
TEST(PolledBanks, NextIsTheFirstCycleOfACommand) {
  const DramParameters dram = part("ddr3_1600_4gb_x8");
  TransactionPool pool(2);
  TimingEngine engine(timing_rules(dram), static_cast<int>(dram.ranks) + 1,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks));
  PolledBanks banks(dram, engine, pool);
  banks.look_ahead();
  EXPECT_EQ(banks.next(), kNeverCycle);
  Cycle now(10);
  const auto insert = [&](std::int64_t row) -> Transaction& {
    Transaction& transaction = pool.take();
    transaction.bank = 3;
    transaction.row = row;
    transaction.key_hit = 1;
    banks.insert(transaction, 0, now);
    return transaction;
  };
  const auto expect_next = [&](Command command) {
    EXPECT_EQ(banks.next(), engine.earliest(command, 3));
  };
  Transaction& first = insert(5);
  expect_next(Command::activate);
  banks.activate(first, now);
  expect_next(Command::read);
  EXPECT_GT(banks.next(), now);
  engine.issue(Command::read, 4, banks.next());  // bursts of others delay this one
  banks.advance(banks.next());
  expect_next(Command::read);
  now = banks.next();
  banks.column(first, 0, Command::read, now, now);
  EXPECT_EQ(banks.next(), kNeverCycle);
  pool.release(first);
  Transaction& second = insert(6);
  expect_next(Command::precharge);
  EXPECT_GT(banks.next(), now);
  now = banks.next();
  banks.precharge(3, now);
  expect_next(Command::activate);
  EXPECT_GT(banks.next(), now);
  now = banks.next();
  banks.activate(second, now);
  expect_next(Command::read);
}

}  // namespace
}  // namespace hmsim::testing
