// SPDX-License-Identifier: BSD-3-Clause
// The host's end of the ack line: which NVDIMM transactions may send their command, which wait for
// their ack, and which are ready for the data bus.
#pragma once

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

  void insert(TransactionId id);  // competes for its command, or a credit
  void remove(TransactionId id);
  void command_sent(TransactionId id);
  // Writes that wait for a credit; the first of them; it has got one.
  bool wants_credit() const { return posted_ != 0; }
  TransactionId next_posted();
  void posted(TransactionId id);
  // Acks raised by the NVDIMM and not yet returned over the address lines, in order.
  void raise_ack(TransactionId id) { acks_.push(id); }
  bool has_ack() const { return !acks_.empty(); }
  TransactionId first_ack() const { return acks_.front(); }
  void take_ack();
  void insert_ready(TransactionId id, Cycle grant_from);  // competes for the data bus
  void granted(TransactionId id);

  // The earliest cycle for the data burst of a transaction, by the data bus.
  Cycle earliest_burst(const Transaction& transaction) const {
    return engine_.rank_gate(burst_of(transaction), rank_);
  }
  static Command burst_of(const Transaction& transaction) {
    return transaction.request.write ? Command::nvdimm_write : Command::nvdimm_read;
  }

  bool active() const { return (queued_ | ready_) != 0; }  // collect() may find something
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates);
  // A command competes and may be sent: then collect_others() finds one.
  bool may_send() const { return queued_ != 0 && outstanding_ < outstanding_limit_; }
  void collect_others(Candidates& candidates);
  Cycle next(Cycle edge);  // the first cycle from `edge` on at which collect() may find something

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
  void page_accessed(const Transaction& transaction);
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
};

}  // namespace hmsim
