// SPDX-License-Identifier: BSD-3-Clause
// The DRAM banks of a channel: what competes for each, and which banks have a command to issue.
//
// A bank's candidate is its policy's best transaction, whatever the timing, so that a lesser one
// never closes the row that a better one needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/bank_queue.h"
#include "controller/channel/candidates.h"
#include "controller/channel/row_counts.h"
#include "controller/channel/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

// Banks are numbered rank x banks per rank + bank, those of a bank group next to each other. This
// class keeps their queues and rows; what it leaves open is when commands are legal.
class DramBanks {
 public:
  virtual ~DramBanks() = default;

  std::int64_t open_row(std::int32_t bank) const { return at(bank).open_row; }
  // The banks of the rank with an open row, a bit each.
  std::uint64_t open_banks(int rank) const { return rank_at(rank).open; }

  // Side 0 competes unless writes are drained: then 0 holds reads and 1 writes, and one competes.
  void insert(Transaction& transaction, std::size_t side, Cycle now) {
    if (queue(transaction, side)) {
      update(transaction.bank, now);
    }
  }
  void remove(const Transaction& transaction, std::size_t side, Cycle now);
  void rekeyed(Transaction& transaction, std::size_t side, Cycle now);
  std::size_t side() const { return side_; }
  void compete(std::size_t side, Cycle now) {
    if (side_ != side) {
      change_side(side, now);
    }
  }

  // Commands, issued at `now`: of its bank's candidate RD or WR, after which it no longer competes,
  // or ACT; PRE.
  virtual void column(Transaction& transaction, std::size_t side, Command command, Cycle now) = 0;
  virtual void activate(const Transaction& transaction, Cycle now) = 0;
  virtual void precharge(std::int32_t bank, Cycle now) = 0;
  // A refresh, of this bank and others: all are closed.
  virtual void refresh(Command command, std::int32_t bank, Cycle now) = 0;
  // The bank's open row takes no more hits: what competes for the bank wants it precharged first.
  void close_to_hits(std::int32_t bank, Cycle now) { row_changed(bank, kClosingRow, now); }

  // Banks of a rank, a bit each, that are to be refreshed have no candidate, nor have those that
  // sleep.
  enum class Cause : std::uint8_t { refresh, sleep };
  void block(int rank, std::uint64_t banks, Cause cause, Cycle now) {
    rank_at(rank).blocked[static_cast<std::size_t>(cause)] |= banks;
    if (queued_ != 0) {
      update_each(rank, banks, now);
    }
  }
  void unblock(int rank, std::uint64_t banks, Cause cause, Cycle now) {
    rank_at(rank).blocked[static_cast<std::size_t>(cause)] &= ~banks;
    if (queued_ != 0) {
      update_each(rank, banks, now);
    }
  }
  // No transaction of the rank may start (the command queue is full).
  void hold(int rank, bool held) {
    const std::uint64_t bit = std::uint64_t{1} << rank;
    held_ = held ? held_ | bit : held_ & ~bit;
  }

  // From then on the bank's own rules allow its activate.
  virtual Cycle activate_ready(std::int32_t bank) const = 0;

  // Where none but DRAM has commands: the best data-bus command that could be issued on this edge;
  // not `by_key`, since all hits have the same one: the oldest; nullptr: there is none. Then, of
  // the other commands, the oldest. It is valid until a command is issued.
  virtual const Best* select_burst(Cycle edge, bool by_key) = 0;
  virtual const Best* select_row(Cycle edge) = 0;
  // Where others have commands, too: adds the data-bus commands that could be issued on this edge;
  // one whose bank is ready and whose rank and bus rules open within `turnaround` counts as near.
  virtual void collect(Cycle edge, Cycle turnaround, Candidates& candidates) = 0;
  // Adds, after collect(), the oldest of the other commands that could be issued.
  virtual void collect_others(Cycle edge, Candidates& candidates) = 0;
  // To be called on each edge from next() on that has none of these (the command bus is taken).
  virtual void advance(Cycle edge) = 0;
  // None of them finds a legal command before this cycle. look_ahead() finds it again, to be called
  // once other commands than the above were issued.
  Cycle next() const { return Cycle(next_); }
  virtual void look_ahead() = 0;

  void rebuild(Cycle now);  // keys changed
  // Loading: no transaction is queued then. restore() is to be called for each that is, and in the
  // end restored().
  void serialize(Archive& archive);
  void restore(Transaction& transaction, std::size_t side) {
    ++queued_;
    rows_.add(transaction.bank, transaction.row);
    at(transaction.bank).queued[side].insert(transaction, at(transaction.bank).open_row);
  }
  void restored(Cycle now);

 protected:
  struct alignas(128) Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    BankPlace place;                // fixed, as is ...
    std::uint64_t bit_in_rank = 0;  // ... the bank's bit among those of its rank
    // Found again by update(): for those that know when commands are legal.
    Best candidate;
    std::int64_t ready_at = 0;  // its next command, by the bank's own rules
    std::int64_t asked_at = 0;  // cycle at which that is looked at again
    std::uint64_t bit = 0;      // fixed: among all banks, where they are at most 64
  };
  struct alignas(32) Rank {  // its banks, a bit each
    std::uint64_t open = 0;
    std::array<std::uint64_t, 2> blocked{};  // by Cause
    void serialize(Archive& archive) { archive(blocked); }
  };

  DramBanks(const DramParameters& dram, TransactionPool& pool);

  // The transaction joins its bank's queue; returns whether the bank's candidate is to be found
  // again.
  bool queue(Transaction& transaction, std::size_t side) {
    Bank& bank = at(transaction.bank);
    ++queued_;
    rows_.add(transaction.bank, transaction.row);
    return bank.queued[side].insert(transaction, bank.open_row) && side == side_;
  }
  // The transaction leaves its bank's queue.
  void leave(Bank& bank, const Transaction& transaction, std::size_t side) {
    bank.queued[side].remove(transaction);
    --queued_;
    rows_.remove(transaction.bank, transaction.row);
  }
  // Finds the bank's candidate again.
  virtual void update(std::int32_t bank, Cycle now) = 0;
  // After loading: nothing is known of any bank but its queues and row; update() of all follows.
  virtual void forget() = 0;

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }
  const Bank& at(std::int32_t bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  Rank& rank_at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& rank_at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  Rank& rank_of(const Bank& bank) { return ranks_[bank.place.rank]; }
  const Rank& rank_of(const Bank& bank) const { return ranks_[bank.place.rank]; }

  bool competes(const Bank& bank) const {
    const Rank& rank = rank_of(bank);
    return !bank.queued[side_].empty() &&
           ((rank.blocked[0] | rank.blocked[1]) & bank.bit_in_rank) == 0;
  }
  // A rank whose command queue is full starts no transaction.
  bool may_go(const Bank& bank) const {
    return held_ == 0 || ((held_ >> bank.place.rank) & 1) == 0 ||
           bank.candidate.transaction->started;
  }
  static Command next_command(const Bank& bank, const Transaction& transaction) {
    if (transaction.row == bank.open_row) {
      return transaction.request.write ? Command::write : Command::read;
    }
    return bank.open_row == kNoRow ? Command::activate : Command::precharge;
  }
  // The bank's best transaction and its next command; the bank competes.
  Best best_of(Bank& bank);
  void row_changed(std::int32_t bank, std::int64_t row, Cycle now);
  static void close(Bank& bank) {  // where no transaction is a candidate
    bank.open_row = kNoRow;
    bank.queued[0].row_changed();
    bank.queued[1].row_changed();
  }

  TransactionPool& pool_;
  const std::int32_t banks_per_rank_;  // at most 64, a power of two
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::uint64_t held_ = 0;   // ranks, a bit each
  std::int64_t queued_ = 0;  // transactions, in all
  RowCounts rows_;           // of them
  std::size_t side_ = 0;
  std::int64_t next_ = 0;

 private:
  void change_side(std::size_t side, Cycle now);
  void update_all(Cycle now);
  void update_each(int rank, std::uint64_t banks, Cycle now);
};

HMSIM_INLINE Best DramBanks::best_of(Bank& bank) {
  Transaction& transaction = bank.queued[side_].best(
      bank.open_row, [&] { return rows_.may_have(bank.place.bank, bank.open_row); });
  return {&transaction, next_command(bank, transaction), transaction.key_hit,
          transaction.request.id};
}

}  // namespace hmsim
