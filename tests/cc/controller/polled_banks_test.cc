// SPDX-License-Identifier: BSD-3-Clause
// Do banks that ask a timing model when commands are legal offer what those offer that keep masks
// of ready ones? Both stand on native engines and see the same traffic.
#include "controller/channel/polled_banks.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
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
  explicit BothBanks(const DramParameters& dram)
      : pools_{TransactionPool(kSlots), TransactionPool(kSlots)},
        engines_{engine_of(dram), engine_of(dram)} {
    banks_[0] = std::make_unique<NativeBanks>(dram, engines_[0], pools_[0]);
    banks_[1] = std::make_unique<PolledBanks>(dram, engines_[1], pools_[1]);
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
  static TimingEngine engine_of(const DramParameters& dram) {
    return {timing_rules(dram), static_cast<int>(dram.ranks) + 1,
            static_cast<int>(dram.organisation.groups), static_cast<int>(dram.organisation.banks)};
  }

  std::array<TransactionPool, 2> pools_;
  std::array<TimingEngine, 2> engines_;
  std::array<std::unique_ptr<DramBanks>, 2> banks_;
};

void expect_same(const Best* one, const Best* other, const char* what, int edge) {
  ASSERT_EQ(one == nullptr, other == nullptr) << what << " on edge " << edge;
  if (one != nullptr) {
    ASSERT_EQ(one->transaction->slot, other->transaction->slot) << what << " on edge " << edge;
    ASSERT_EQ(one->command, other->command) << what << " on edge " << edge;
  }
}

// `keyed`: keys differ; else all hits have the same, and the oldest is the best.
void run(const char* preset, bool keyed) {
  const DramParameters dram = part(preset);
  const auto banks_in_all = static_cast<std::uint64_t>(dram.ranks * dram.organisation.banks);
  BothBanks both(dram);
  Random random(7);
  std::vector<std::uint32_t> free;  // slots
  both.each([&](DramBanks&, TransactionPool& pool) {
    free.clear();
    for (std::size_t i = 0; i < kSlots; ++i) {
      free.push_back(pool.take().slot);
    }
  });
  std::uint64_t next_request = 0;
  std::size_t side = 0;
  std::array<bool, 2> blocked{};  // the last two banks
  int data_commands = 0;
  for (int i = 0; i < kEdges; ++i) {
    const Cycle edge(i);
    if (!free.empty() && random.below(5) == 0) {
      const std::uint32_t slot = free.back();
      free.pop_back();
      Transaction fresh;
      fresh.request.id = next_request++;
      fresh.request.write = random.below(3) == 0;
      fresh.bank = static_cast<std::int32_t>(random.below(banks_in_all));
      fresh.rank = fresh.bank / static_cast<std::int32_t>(dram.organisation.banks);
      fresh.row = static_cast<std::int64_t>(random.below(3));
      fresh.key_miss = keyed ? 2 * random.below(3) : 0;
      fresh.key_hit = fresh.key_miss + 1;
      both.each([&](DramBanks& banks, TransactionPool& pool) {
        fresh.slot = slot;
        pool[slot] = fresh;
        banks.insert(pool[slot], fresh.request.write ? 1 : 0, edge);
      });
    }
    if (random.below(200) == 0) {
      side = 1 - side;
      both.each([&](DramBanks& banks, TransactionPool&) { banks.compete(side, edge); });
    }
    if (random.below(100) == 0) {
      const bool held = random.below(2) == 0;
      both.each([&](DramBanks& banks, TransactionPool&) { banks.hold(0, held); });
    }
    if (random.below(100) == 0) {
      const std::size_t which = random.below(2);
      const auto bank = static_cast<std::int32_t>(banks_in_all - 1 - which);
      blocked[which] = !blocked[which];
      const auto per_rank = static_cast<std::int32_t>(dram.organisation.banks);
      const std::uint64_t bit = std::uint64_t{1} << (bank % per_rank);
      both.each([&](DramBanks& banks, TransactionPool&) {
        if (blocked[which]) {
          banks.block(bank / per_rank, bit, DramBanks::Cause::refresh, edge);
        } else {
          banks.unblock(bank / per_rank, bit, DramBanks::Cause::refresh, edge);
        }
      });
    }
    std::array<Candidates, 2> found;
    std::size_t which = 0;
    both.each([&](DramBanks& banks, TransactionPool&) {
      banks.collect(edge, Cycle(4), found[which]);
      banks.collect_others(edge, found[which]);
      ++which;
    });
    const Best* const data = found[0].legal[0];
    expect_same(data, found[1].legal[0], "legal", i);
    expect_same(found[0].near[0], found[1].near[0], "near", i);
    expect_same(found[0].other, found[1].other, "other", i);
    both.each([&](DramBanks& banks, TransactionPool&) {
      expect_same(data, banks.select_burst(edge, keyed), "burst", i);
      if (data == nullptr) {
        expect_same(found[0].other, banks.select_row(edge), "row", i);
      }
    });
    if (data != nullptr || found[0].other != nullptr) {
      const Best best = data != nullptr ? *data : *found[0].other;
      const Transaction issued = *best.transaction;
      both.each([&](DramBanks& banks, TransactionPool& pool) {
        pool[issued.slot].started = true;
        if (best.command == Command::activate) {
          banks.activate(pool[issued.slot], edge);
        } else if (best.command == Command::precharge) {
          banks.precharge(issued.bank, edge);
        } else {
          banks.column(pool[issued.slot], issued.request.write ? 1 : 0, best.command, edge);
        }
      });
      if (data != nullptr) {
        free.push_back(issued.slot);
        ++data_commands;
      }
    }
    both.each([&](DramBanks& banks, TransactionPool&) { banks.look_ahead(); });
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
  EXPECT_GT(data_commands, kEdges / 20);
}

class PolledBanksOf : public ::testing::TestWithParam<const char*> {};

TEST_P(PolledBanksOf, OfferWhatNativeBanksOffer) { run(GetParam(), false); }
TEST_P(PolledBanksOf, OfferItByKey) { run(GetParam(), true); }

// On DDR5 banks wait for longer than the wheel is.
INSTANTIATE_TEST_SUITE_P(Each, PolledBanksOf,
                         ::testing::Values("ddr3_1600_4gb_x8", "ddr4_2400t_8gb_x8",
                                           "ddr5_4800b_16gb_x8"));

}  // namespace
}  // namespace hmsim::testing
