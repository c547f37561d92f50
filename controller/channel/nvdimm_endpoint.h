// SPDX-License-Identifier: BSD-3-Clause
// The host's end of the ack line: which NVDIMM transactions may send their command, which wait for
// their ack, and which are ready for the data bus.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/bank_queue.h"
#include "controller/channel/candidates.h"
#include "controller/channel/nvdimm_timing.h"
#include "controller/layout/pseudo_banks.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/ring.h"

namespace hmsim {

class NvdimmEndpoint {
 public:
  // `posts_writes`: writes have no command and compete for a credit instead.
  NvdimmEndpoint(const PseudoBanks& pseudo_banks, std::int64_t outstanding_limit, bool posts_writes,
                 const NvdimmTiming& timing, TransactionPool& pool);

  std::int32_t pseudo_bank(std::int64_t page) const { return pseudo_banks_.of(page); }
  // Returns the page of the pseudo-bank's last command.
  std::int64_t last_page(std::int32_t bank) const {
    return banks_[static_cast<std::size_t>(bank)].last_page;
  }

  // Selects whether commands are sent in key order or oldest first.
  void order_commands_by_key(bool by_key) { by_key_ = by_key; }

  // Returns whether the command was sent and its ack is pending.
  static bool awaits_ack(const Transaction& transaction) {
    return transaction.request.memory == MemoryClass::nvdimm &&
           (transaction.request.flush
                ? transaction.state == TransactionState::barred && transaction.started
                : transaction.state == TransactionState::waiting);
  }

  void insert(Transaction& transaction) {  // competes for its command or a credit
    PseudoBank& bank = bank_of(transaction);
    const bool posted = is_posted(transaction);
    (posted ? bank.posted : bank.queued).insert(transaction, bank.last_page);
    (posted ? posted_ : queued_) |= bit(transaction.bank);
  }
  void command_sent(const Transaction& transaction) {
    remove(transaction);
    page_accessed(transaction);
    ++outstanding_;
  }
  // Writes that wait for a credit: whether there are any; the first one; posted(): it got its
  // credit.
  bool wants_credit() const { return posted_ != 0; }
  Transaction& next_posted();
  void posted(const Transaction& transaction);
  // Acks raised by the NVDIMM and not yet returned over the address lines, in order.
  void raise_ack(const Transaction& transaction) { acks_.push(transaction.slot); }
  bool has_ack() const { return !acks_.empty(); }
  Transaction& first_ack() const { return pool_[acks_.front()]; }
  void take_ack() {
    acks_.pop();
    --outstanding_;
  }
  void insert_ready(Transaction& transaction, Cycle grant_from) {  // competes for the data bus
    transaction.grant_from = grant_from;
    PseudoBank& bank = bank_of(transaction);
    bank.ready.insert(transaction, bank.last_page);
    ready_ |= bit(transaction.bank);
    if (grant_from < ready_from_) {
      ready_from_ = earlier(ready_from_, later(grant_from, earliest_burst(transaction)));
    }
  }
  // Updates the state after a data-bus command of the transaction. `last`: it needs no other.
  void granted(const Transaction& transaction, bool last) {
    if (last) {
      leave(&PseudoBank::ready, ready_, transaction);
    }
    ready_from_ = ready_ == 0 ? kNeverCycle
                              : earlier(gate(Command::nvdimm_read), gate(Command::nvdimm_write));
  }

  // Reorders a transaction that competes for its command, a credit or the data bus after its keys
  // changed.
  void rekeyed(Transaction& transaction) {
    PseudoBank& bank = bank_of(transaction);
    if (transaction.state == TransactionState::ready) {
      bank.ready.rekeyed(transaction, bank.last_page);
      forget();
    } else {
      (is_posted(transaction) ? bank.posted : bank.queued).rekeyed(transaction, bank.last_page);
    }
  }

  // Returns the earliest cycle at which the data bus allows the transaction's burst.
  Cycle earliest_burst(const Transaction& transaction) const {
    return timing_.gate(burst_of(transaction), transaction.rank);
  }
  static Command burst_of(const Transaction& transaction) {
    return transaction.request.write ? Command::nvdimm_write : Command::nvdimm_read;
  }

  bool awaits_bus() const { return ready_ != 0 || has_ack(); }
  bool active() const { return (queued_ | ready_) != 0; }  // any command or burst competes
  // Returns whether a command may be sent or a burst may be legal on this edge.
  bool may_act(Cycle edge) const { return may_send() || ready_from_ <= edge; }
  // Returns the best transaction whose data-bus command is legal on this edge, or nullptr.
  Transaction* select_burst(Cycle edge) {
    Transaction* best = nullptr;
    if (ready_from_ <= edge) {
      ready_from_ = scan([&](Transaction& transaction, Cycle legal) {
        if (legal <= edge) {
          consider(best, transaction, true);
        }
      });
    }
    return best;
  }
  // may_send(): a command competes and may be sent. select_command() returns its transaction.
  bool may_send() const { return queued_ != 0 && outstanding_ < outstanding_limit_; }
  Transaction& select_command() { return first_of(queued_, &PseudoBank::queued); }
  // Versions for edges on which DRAM may have commands as well: add to `candidates`. A burst within
  // `turnaround` counts as near.
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates);
  void collect_command(Candidates& candidates);
  // Returns the first cycle from `edge` on at which a command may be sent or a burst becomes legal.
  Cycle next(Cycle edge) {
    if (may_send()) {
      return edge;
    }
    if (ready_from_ < edge) {
      ready_from_ = scan([](Transaction&, Cycle) {});
    }
    return later(edge, ready_from_);
  }

  void rebuild();  // after many keys changed

  // After loading, nothing competes. Call restore_sent() for each command that was sent, and
  // restore() for each transaction that competes for its command, a credit or the data bus.
  void serialize(Archive& archive);
  void restore_sent() { ++outstanding_; }
  void restore(Transaction& transaction) {
    if (transaction.state == TransactionState::ready) {
      insert_ready(transaction, transaction.grant_from);
    } else {
      insert(transaction);
    }
  }

 private:
  struct PseudoBank {
    BankQueue queued;
    BankQueue posted;
    BankQueue ready;
    std::int64_t last_page = kNoRow;
  };

  bool is_posted(const Transaction& transaction) const {
    return posts_writes_ && transaction.request.write;
  }
  static std::uint64_t bit(std::int32_t bank) { return std::uint64_t{1} << bank; }
  PseudoBank& bank_of(const Transaction& transaction) {
    return banks_[static_cast<std::size_t>(transaction.bank)];
  }
  void remove(const Transaction& transaction) {
    const bool posted = is_posted(transaction);
    leave(posted ? &PseudoBank::posted : &PseudoBank::queued, posted ? posted_ : queued_,
          transaction);
  }
  void leave(BankQueue PseudoBank::*list, std::uint64_t& banks, const Transaction& transaction) {
    BankQueue& left = bank_of(transaction).*list;
    left.remove(transaction);
    if (left.empty()) {
      banks &= ~bit(transaction.bank);
    }
  }
  void page_accessed(const Transaction& transaction) {
    if (bank_of(transaction).last_page != transaction.row) {
      change_page(transaction);
    }
  }
  void change_page(const Transaction& transaction);
  void forget() { ready_from_ = ready_ != 0 ? Cycle(0) : kNeverCycle; }
  Cycle gate(Command burst) const { return timing_.gate(burst); }
  // Calls take(transaction, legal) for the best transaction of each pseudo-bank; `legal` is the
  // cycle at which its burst is legal. Returns the first such cycle.
  template <class Take>
  Cycle scan(Take take) {
    Cycle first = kNeverCycle;
    for (std::uint64_t banks = ready_; banks != 0; banks &= banks - 1) {
      PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
      Transaction& best = bank.ready.best(bank.last_page);
      const Cycle legal = later(earliest_burst(best), best.grant_from);
      first = earlier(first, legal);
      take(best, legal);
    }
    return first;
  }
  // Returns the first transaction of the given pseudo-banks. Precondition: `banks` is not 0.
  Transaction& first_of(std::uint64_t banks, BankQueue PseudoBank::*list) {
    Transaction* first = nullptr;
    for (; banks != 0; banks &= banks - 1) {
      PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
      consider(first, (bank.*list).best(bank.last_page), by_key_);
    }
    return *first;
  }
  void consider(Transaction*& best, Transaction& other, bool by_key) const {
    if (best == nullptr || goes_before(by_key ? key_in_bank(other) : 0, other.request.id,
                                       by_key ? key_in_bank(*best) : 0, best->request.id)) {
      best = &other;
    }
  }
  std::uint64_t key_in_bank(const Transaction& transaction) const {
    return key_of(transaction, last_page(transaction.bank));
  }
  Best best_of(Transaction& transaction) const {
    return {&transaction, burst_of(transaction), key_in_bank(transaction), transaction.request.id};
  }

  const PseudoBanks& pseudo_banks_;
  const std::int64_t outstanding_limit_;
  const bool posts_writes_;
  const NvdimmTiming& timing_;
  TransactionPool& pool_;
  bool by_key_ = false;
  std::vector<PseudoBank> banks_;
  Ring<std::uint32_t> acks_;  // slots
  std::uint64_t queued_ = 0;  // pseudo-banks with queued transactions, one bit each
  std::uint64_t posted_ = 0;
  std::uint64_t ready_ = 0;
  std::int64_t outstanding_ = 0;  // commands without ack
  // Lower bound on the first legal data-bus command. It stays a bound, because other commands only
  // delay bursts.
  Cycle ready_from_ = kNeverCycle;
  // Last results of collect() and collect_command().
  Best legal_;
  Best near_;
  Best command_;
};

}  // namespace hmsim
