// SPDX-License-Identifier: BSD-3-Clause
// The DRAM banks of a channel: what competes for each, and which banks have a command to issue.
//
// A bank's candidate is its policy's best transaction, whatever the timing, so that a lesser one
// never closes the row that a better one needs. A bank with a candidate waits in a calendar until
// the rules of its own scope allow the candidate's next command; from then on it is in the ready
// set of (rank, command), which the rules of rank and data bus open and close for all its banks.
// So the cost of an edge follows the ready sets, not the banks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/bank_queue.h"
#include "controller/candidates.h"
#include "controller/ready_wheel.h"
#include "controller/transaction.h"
#include "core/archive.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"

namespace hmsim {

class DramBanks {
 public:
  // Banks are numbered rank x banks per rank + bank; at most 64 a rank, at most 16 ranks.
  DramBanks(const DramParameters& dram, const TimingEngine& engine, TransactionPool& pool);

  int ranks() const { return static_cast<int>(ranks_.size()); }
  std::int64_t open_row(std::int32_t bank) const { return at(bank).open_row; }
  bool any_open(int rank) const { return ranks_[static_cast<std::size_t>(rank)].open_banks > 0; }

  // Side 0 competes unless writes are drained: then 0 holds reads and 1 writes, and one competes.
  void insert(TransactionId id, std::size_t side, Cycle now);
  void remove(TransactionId id, std::size_t side, Cycle now);
  void compete(std::size_t side, Cycle now);

  // ACT or PRE of the bank was issued; after ACT and column commands too its candidate may differ.
  void opened(std::int32_t bank, std::int64_t row, Cycle now);
  void closed(std::int32_t bank, Cycle now);

  // A rank that is to be refreshed has no candidates.
  void block(int rank, bool blocked);
  // No transaction of the rank may start (the command queue is full).
  void hold(int rank, bool held) { ranks_[static_cast<std::size_t>(rank)].held = held; }

  // Adds what could be issued on this edge; a data-bus command whose rank and bus rules open within
  // `turnaround` counts as near.
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates);
  // The first cycle from `edge` on at which collect() may find a legal command.
  Cycle next(Cycle edge) const;

  // An open bank of the rank that may be precharged by `edge`, or -1; and when the first could.
  std::int32_t closable(int rank, Cycle edge) const;
  Cycle next_closable(int rank) const;

  void rebuild(Cycle now);  // keys changed
  void serialize(Archive& archive, Cycle now);

 private:
  static constexpr int kBankCommands = 4;  // activate, precharge, read, write

  enum class Place : std::uint8_t { nowhere, waiting, ready };

  struct Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    // Derived from the above:
    std::int64_t ready_at = 0;
    TransactionId candidate = kNoTransaction;
    Command command = Command::activate;
    Place place = Place::nowhere;
    void serialize(Archive& archive) { archive(queued, open_row); }
  };
  struct Rank {
    bool blocked = false;
    bool held = false;
    int open_banks = 0;
    void serialize(Archive& archive) { archive(blocked, held, open_banks); }
  };

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }
  const Bank& at(std::int32_t bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  void update(std::int32_t bank, Cycle now);
  void place_ready(std::size_t bank);
  void displace(std::size_t bank);
  std::size_t rank_of(std::size_t bank) const { return bank >> rank_shift_; }
  std::size_t set_of(std::size_t bank, Command command) const {
    return rank_of(bank) * kBankCommands + static_cast<std::size_t>(command);
  }
  std::uint64_t bit_of(std::size_t bank) const {
    return std::uint64_t{1} << (bank & ((std::size_t{1} << rank_shift_) - 1));
  }
  // The cycle at which rank and data bus open a ready set.
  Cycle gate_of(int set) const {
    return engine_.rank_earliest(static_cast<Command>(set % kBankCommands), set / kBankCommands);
  }
  void collect_set(int set, Candidates& candidates, bool legal) const;

  const TimingEngine& engine_;
  TransactionPool& pool_;
  const int banks_per_rank_;
  const int rank_shift_;  // bank >> rank_shift_ is its rank
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::vector<std::uint64_t> ready_;  // (rank, command): a bit a bank
  std::uint64_t ready_sets_ = 0;      // the sets that are not empty, a bit each
  ReadyWheel wheel_;
  std::uint64_t unblocked_sets_ = ~std::uint64_t{0};
  std::size_t side_ = 0;
};

}  // namespace hmsim
