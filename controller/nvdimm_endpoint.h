// SPDX-License-Identifier: BSD-3-Clause
// The host's end of the ack line: which NVDIMM transactions may send their command, which wait for
// their ack, and which are ready for the data bus.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/bank_queue.h"
#include "controller/candidates.h"
#include "controller/transaction.h"
#include "core/archive.h"
#include "core/ring.h"
#include "dram/timing_model.h"

namespace hmsim {

class NvdimmEndpoint {
 public:
  // `rank`: the NVDIMM's on the channel; pseudo-bank = LPN mod `pseudo_banks` (at most 64).
  // `posts_writes`: they have no command, and compete for a credit in its place.
  NvdimmEndpoint(int rank, std::int64_t pseudo_banks, std::int64_t outstanding_limit,
                 bool posts_writes, const TimingModel& engine, TransactionPool& pool);

  std::int32_t pseudo_bank(std::int64_t page) const {
    return static_cast<std::int32_t>(page % static_cast<std::int64_t>(banks_.size()));
  }
  // The page of the pseudo-bank's last command.
  std::int64_t last_page(std::int32_t bank) const {
    return banks_[static_cast<std::size_t>(bank)].last_page;
  }

  // Commands leave in the order of their keys; else oldest first.
  void order_commands_by_key(bool by_key) { by_key_ = by_key; }

  void insert(TransactionId id) {  // competes for its command, or a credit
    PseudoBank& bank = bank_of(pool_[id]);
    const bool posted = is_posted(id);
    (posted ? bank.posted : bank.queued).insert(pool_, id, bank.last_page);
    (posted ? posted_ : queued_) |= bit(pool_[id].bank);
  }
  void remove(TransactionId id) {
    const bool posted = is_posted(id);
    leave(posted ? &PseudoBank::posted : &PseudoBank::queued, posted ? posted_ : queued_, id);
  }
  void command_sent(TransactionId id) {
    remove(id);
    page_accessed(pool_[id]);
    ++outstanding_;
  }
  // Writes that wait for a credit; the first of them; it has got one.
  bool wants_credit() const { return posted_ != 0; }
  TransactionId next_posted();
  void posted(TransactionId id);
  // Acks raised by the NVDIMM and not yet returned over the address lines, in order.
  void raise_ack(TransactionId id) { acks_.push(id); }
  bool has_ack() const { return !acks_.empty(); }
  TransactionId first_ack() const { return acks_.front(); }
  void take_ack() {
    acks_.pop();
    --outstanding_;
  }
  void insert_ready(TransactionId id, Cycle grant_from) {  // competes for the data bus
    Transaction& transaction = pool_[id];
    transaction.grant_from = grant_from;
    PseudoBank& bank = bank_of(transaction);
    bank.ready.insert(pool_, id, bank.last_page);
    ready_ |= bit(transaction.bank);
    ready_from_ = earlier(ready_from_, later(grant_from, gate_of(transaction)));
  }
  void granted(TransactionId id) {
    leave(&PseudoBank::ready, ready_, id);
    forget();
  }

  // The earliest cycle for the data burst of a transaction, by the data bus.
  Cycle earliest_burst(const Transaction& transaction) const {
    return engine_.rank_gate(burst_of(transaction), rank_);
  }
  static Command burst_of(const Transaction& transaction) {
    return transaction.request.write ? Command::nvdimm_write : Command::nvdimm_read;
  }

  bool active() const { return (queued_ | ready_) != 0; }  // something competes
  // On this edge there may be something to send, or legal for the data bus.
  bool may_act(Cycle edge) const { return may_send() || ready_from_ <= edge; }
  // Adds the data-bus commands that are legal on this edge; near: within `turnaround`.
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
    if (ready_from_ <= edge + turnaround) {
      look(edge, turnaround, candidates);
    }
  }
  // A command competes and may be sent: then collect_others() finds one.
  bool may_send() const { return queued_ != 0 && outstanding_ < outstanding_limit_; }
  void collect_others(Candidates& candidates) {
    Candidates::consider_older(candidates.other, *first_of(queued_, &PseudoBank::queued));
  }
  // The first cycle from `edge` on at which something may be sent or become legal.
  Cycle next(Cycle edge) {
    if (may_send()) {
      return edge;
    }
    if (ready_from_ < edge) {
      find_ready_from();
    }
    return later(edge, ready_from_);
  }

  void rebuild();  // keys changed
  void serialize(Archive& archive);

 private:
  struct PseudoBank {
    BankQueue queued;
    BankQueue posted;
    BankQueue ready;
    std::int64_t last_page = kNoRow;
    Best command;  // what collect() found last, and collect_others()
    Best burst;
    void serialize(Archive& archive) { archive(queued, posted, ready, last_page); }
  };

  bool is_posted(TransactionId id) const { return posts_writes_ && pool_[id].request.write; }
  static std::uint64_t bit(std::int32_t bank) { return std::uint64_t{1} << bank; }
  PseudoBank& bank_of(const Transaction& transaction) {
    return banks_[static_cast<std::size_t>(transaction.bank)];
  }
  void leave(BankQueue PseudoBank::*list, std::uint64_t& banks, TransactionId id) {
    BankQueue& left = bank_of(pool_[id]).*list;
    left.remove(pool_, id);
    if (left.empty()) {
      banks &= ~bit(pool_[id].bank);
    }
  }
  void page_accessed(const Transaction& transaction) {
    if (bank_of(transaction).last_page != transaction.row) {
      change_page(transaction);
    }
  }
  void change_page(const Transaction& transaction);
  Cycle& gate_of(const Transaction& transaction) {
    return gates_[transaction.request.write ? 1 : 0];
  }
  Cycle ready_from(const Transaction& transaction) {
    Cycle& gate = gate_of(transaction);
    gate = earliest_burst(transaction);
    return later(gate, transaction.grant_from);
  }
  void forget() { ready_from_ = ready_ != 0 ? Cycle(0) : kNeverCycle; }
  void look(Cycle edge, Cycle turnaround, Candidates& candidates);
  void find_ready_from();
  const Best* first_of(std::uint64_t banks, BankQueue PseudoBank::*list);

  const int rank_;
  const std::int64_t outstanding_limit_;
  const bool posts_writes_;
  const TimingModel& engine_;
  TransactionPool& pool_;
  bool by_key_ = false;
  std::vector<PseudoBank> banks_;
  Ring<TransactionId> acks_;
  std::uint64_t queued_ = 0;  // pseudo-banks with something queued, a bit each
  std::uint64_t posted_ = 0;
  std::uint64_t ready_ = 0;
  std::int64_t outstanding_ = 0;  // commands without ack
  // Lower bounds, as time and commands only put bursts off: when data-bus commands, reads and
  // writes, are legal; and the first of those that compete. 0: they are to be found again.
  std::array<Cycle, 2> gates_{};
  Cycle ready_from_ = kNeverCycle;
};

}  // namespace hmsim
