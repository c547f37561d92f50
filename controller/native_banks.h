// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over the native timing engine.
//
// A bank with a candidate waits in a calendar until the rules of its own scope allow the
// candidate's next command; from then on it is in the ready set of (bank group, command), which the
// rules of wider scopes open and close for all its banks. So the cost of an edge follows the ready
// sets, not the banks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/bank_queue.h"
#include "controller/candidates.h"
#include "controller/dram_banks.h"
#include "controller/ready_wheel.h"
#include "controller/transaction.h"
#include "core/archive.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"

namespace hmsim {

class NativeBanks final : public DramBanks {
 public:
  // At most 64 banks a rank, at most 16 bank groups in all.
  NativeBanks(const DramParameters& dram, const TimingEngine& engine, TransactionPool& pool);

  std::int64_t open_row(std::int32_t bank) const override { return at(bank).open_row; }
  void insert(TransactionId id, std::size_t side, Cycle now) override;
  void remove(TransactionId id, std::size_t side, Cycle now) override;
  void compete(std::size_t side, Cycle now) override;
  void opened(std::int32_t bank, std::int64_t row, Cycle now) override {
    row_changed(bank, row, now);
  }
  void closed(std::int32_t bank, Cycle now) override { row_changed(bank, kNoRow, now); }
  void condemn(std::int32_t bank, Cycle now) override { row_changed(bank, kCondemnedRow, now); }
  void block(std::int32_t bank, bool blocked, Cycle now) override;
  void hold(int rank, bool held) override { ranks_[static_cast<std::size_t>(rank)].held = held; }
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle edge) override;
  void look_ahead() override;
  void rebuild(Cycle now) override;
  void serialize(Archive& archive, Cycle now) override;

 private:
  static constexpr int kBankCommands = 4;  // activate, precharge, read, write

  enum class Place : std::uint8_t { nowhere, waiting, ready };

  struct Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    bool blocked = false;
    // Derived from the above:
    std::int64_t ready_at = 0;
    Best candidate;
    Place place = Place::nowhere;
    void serialize(Archive& archive) { archive(queued, open_row, blocked); }
  };
  struct Rank {
    bool held = false;
    void serialize(Archive& archive) { archive(held); }
  };
  // Ready banks of one (rank, bank group, command), and the one that goes first among them: the
  // best key for data-bus commands, the oldest transaction for the others.
  struct ReadySet {
    std::uint64_t banks = 0;  // a bit a bank of the rank
    int first = kUnknown;
  };
  static constexpr int kUnknown = -1;

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }
  const Bank& at(std::int32_t bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  void row_changed(std::int32_t bank, std::int64_t row, Cycle now);
  void update(std::int32_t bank, Cycle now);
  void place_ready(std::size_t bank);
  void displace(std::size_t bank);
  std::size_t rank_of(std::size_t bank) const { return bank >> rank_shift_; }
  std::size_t set_of(std::size_t bank, Command command) const {
    return (bank >> group_shift_) * kBankCommands + static_cast<std::size_t>(command);
  }
  std::size_t in_rank(std::size_t bank) const {
    return bank & ((std::size_t{1} << rank_shift_) - 1);
  }
  static Command command_of(std::size_t set) { return static_cast<Command>(set % kBankCommands); }
  std::size_t rank_of_set(std::size_t set) const {
    return (set / kBankCommands) >> (rank_shift_ - group_shift_);
  }
  // The cycle at which bank group, rank and data bus open a ready set.
  Cycle gate_of(std::size_t set) const {
    return engine_.gate(command_of(set), static_cast<int>(set / kBankCommands));
  }
  bool goes_first(const Best& one, const Best& other) const;
  void find_first(std::size_t set, bool started_only);
  const Best* first_of(std::size_t set);

  const TimingEngine& engine_;
  TransactionPool& pool_;
  const int banks_per_rank_;
  const int rank_shift_;   // bank >> rank_shift_ is its rank,
  const int group_shift_;  // bank >> group_shift_ its bank group, over all ranks
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::vector<ReadySet> ready_;
  std::uint64_t ready_sets_ = 0;  // the sets that are not empty, a bit each
  ReadyWheel wheel_;
  std::size_t side_ = 0;
};

}  // namespace hmsim
