// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks of a channel: queues and rows of each bank, and which banks have a command to issue.
//
// A bank's candidate is its policy's best transaction regardless of timing, so a lower-ranked
// transaction never closes the row that a better one needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/bank_queue.h"
#include "controller/channel/candidates.h"
#include "controller/channel/row_counts.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

// Banks are numbered rank x banks per rank + bank; banks of a group are adjacent. This class keeps
// queues and rows. Derived classes decide when commands are legal.
class DramBanks {
 public:
  virtual ~DramBanks() = default;

  std::int64_t open_row(std::int32_t bank) const { return at(bank).open_row; }
  // Returns the banks of the rank with an open row, one bit each.
  std::uint64_t open_banks(int rank) const { return rank_at(rank).open; }

  // Adds the transaction to a side of its bank. Without drained writes, only side 0 is used. With
  // drained writes, side 0 holds reads and side 1 writes, and one of the sides at a time competes.
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

  // Issue commands at `now`. The transaction of column() or activate() must be its bank's
  // candidate. After column() it no longer competes. `start`: when the read or write itself is
  // issued, later than `now` if `now` starts the data clock. The caller takes the command slots.
  virtual void column(Transaction& transaction, std::size_t side, Command command, Cycle now,
                      Cycle start) = 0;
  virtual void activate(const Transaction& transaction, Cycle now) = 0;
  virtual void precharge(std::int32_t bank, Cycle now) = 0;
  // Issues a refresh of this bank and others. Precondition: all of them are closed.
  virtual void refresh(Command command, std::int32_t bank, Cycle now) = 0;
  // Ends row hits in the bank: transactions to its open row now need a precharge and an activate,
  // like a conflict.
  void close_to_hits(std::int32_t bank, Cycle now) { row_changed(bank, kClosingRow, now); }

  // block() removes the candidates of banks of a rank, one bit each, that wait for a refresh or for
  // sleep. unblock() lets the banks have candidates again.
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
  // Stops or allows new transactions of the rank (its command queue is full or not).
  void hold(int rank, bool held) {
    const std::uint64_t bit = std::uint64_t{1} << rank;
    held_ = held ? held_ | bit : held_ & ~bit;
  }

  // Returns the edge from which the bank's own rules allow its activate.
  virtual Cycle activate_ready(std::int32_t bank) const = 0;

  // For edges on which only DRAM has commands. select_burst() returns the best legal data-bus
  // command. Without `by_key` it returns the oldest, because all hits have the same key.
  // select_row() returns the oldest legal activate or precharge. Both return nullptr if none is
  // legal. Results are valid until a command is issued.
  virtual const Best* select_burst(Cycle edge, bool by_key) = 0;
  virtual const Best* select_row(Cycle edge) = 0;
  // For edges on which the NVDIMM may have commands as well: adds the legal data-bus commands. A
  // command counts as near if its bank is ready and its rank and bus rules open within
  // `turnaround`.
  virtual void collect(Cycle edge, Cycle turnaround, Candidates& candidates) = 0;
  // Adds the oldest legal activate or precharge to `candidates`. Call after collect().
  virtual void collect_others(Cycle edge, Candidates& candidates) = 0;
  // Call on each edge from next() on at which the command bus is taken, instead of the functions
  // above.
  virtual void advance(Cycle edge) = 0;
  // None of these functions finds a legal command before next(). look_ahead() recomputes it; call
  // it after commands that this class did not issue.
  Cycle next() const { return Cycle(next_); }
  virtual void look_ahead() = 0;

  void rebuild(Cycle now);  // after keys changed
  // After loading, no transaction is queued. Call restore() for each queued transaction, then
  // restored().
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
    BankPlace place;                // fixed
    std::uint64_t bit_in_rank = 0;  // fixed; the bank's bit within its rank
    // Recomputed by update(), for classes that track when commands are legal.
    Best candidate;
    std::int64_t ready_at = 0;  // legal time of the next command by the bank's own rules
    std::int64_t asked_at = 0;  // cycle at which that time is checked again
    std::uint64_t bit = 0;      // fixed; bit among all banks, if there are at most 64
  };
  struct alignas(32) Rank {  // sets of its banks, one bit each
    std::uint64_t open = 0;
    std::array<std::uint64_t, 2> blocked{};  // by Cause
    void serialize(Archive& archive) { archive(blocked); }
  };

  DramBanks(const DramParameters& dram, TransactionPool& pool);

  // Adds a transaction to its bank's queue. Returns whether the bank's candidate must be
  // recomputed.
  bool queue(Transaction& transaction, std::size_t side) {
    Bank& bank = at(transaction.bank);
    ++queued_;
    rows_.add(transaction.bank, transaction.row);
    return bank.queued[side].insert(transaction, bank.open_row) && side == side_;
  }
  // Removes a transaction from its bank's queue.
  void leave(Bank& bank, const Transaction& transaction, std::size_t side) {
    bank.queued[side].remove(transaction);
    --queued_;
    rows_.remove(transaction.bank, transaction.row);
  }
  // Recomputes the bank's candidate.
  virtual void update(std::int32_t bank, Cycle now) = 0;
  // Clears all state except queues and rows after loading; update() of all banks follows.
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
  // Returns whether the candidate may issue: a rank with a full command queue starts no
  // transaction.
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
  // Returns the bank's best transaction and its next command. Precondition: the bank competes.
  Best best_of(Bank& bank);
  void row_changed(std::int32_t bank, std::int64_t row, Cycle now);
  static void close(Bank& bank) {  // precondition: no candidate
    bank.open_row = kNoRow;
    bank.queued[0].row_changed();
    bank.queued[1].row_changed();
  }

  TransactionPool& pool_;
  const std::int32_t banks_per_rank_;  // at most 64, a power of two
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::uint64_t held_ = 0;   // ranks, one bit each
  std::int64_t queued_ = 0;  // total number of transactions
  RowCounts rows_;           // of the queued transactions
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
