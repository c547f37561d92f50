// SPDX-License-Identifier: BSD-3-Clause
// Requests of one HBF channel that hold an entry of the host's queue, and the order in which they
// are sent. A request of up to 4 KiB takes one entry, from its admission to its answer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/channel/bank_queue.h"
#include "controller/channel/edge_clock.h"
#include "controller/channel/ordering.h"
#include "controller/config/system_config.h"
#include "controller/hbf/bank_leaders.h"
#include "controller/hbf/page_counts.h"
#include "controller/hbf/pending_pages.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// Reads that are not sent compete by the keys of controller.nvdimm_scheduler. Writes are sent in
// order of arrival, because the pages of a block are programmed in order. A request waits for all
// older ones to its page in the other direction to be sent.
class HbfQueue {
 public:
  HbfQueue(const SystemConfig& config, int index);

  void connect(const SystemConfig& config, const SourceProgress& progress);
  TransactionScheduler* scheduler() const { return ordering_.schedulers()[1]; }

  bool full() const { return pool_.taken() == pool_.size(); }
  std::size_t held() const { return pool_.taken(); }
  std::size_t size() const { return pool_.size(); }
  Transaction& operator[](std::uint32_t slot) { return pool_[slot]; }
  template <class See>
  void each(See see) const {
    pool_.each_taken(see);
  }

  // Admits a request for a page of the channel.
  Transaction& admit(const Request& request, std::int64_t page, Tick now);
  // Returns the request to send next in this direction, or nullptr.
  Transaction* best(bool write) {
    const std::size_t direction = write ? 1 : 0;
    return waiting_[direction] == 0 ? nullptr : best_of(direction);
  }
  // Returns the oldest write to a page that has begun, or nullptr. Takes time in proportion to the
  // waiting writes.
  Transaction* oldest_write(const PendingPages& pages);
  // Records that the request is sent, that its answer is known to the device's side, and that it
  // is over and frees its entry.
  void sent(Transaction& transaction, Tick now);
  void answered(Transaction& transaction, Tick now) {
    transaction.state = TransactionState::transfer;
    const auto hit = [&] { return row_hit(transaction); };
    notify(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction, now, hit);
    notify(TransactionPolicy::kIssue, &TransactionPolicy::on_issue, transaction, now, hit);
  }
  void completed(Transaction& transaction, Tick now) {
    notify(TransactionPolicy::kComplete, &TransactionPolicy::on_complete, transaction, now,
           [&] { return transaction.viewed && transaction.view.row_hit; });
    pool_.release(transaction);
  }

  // Returns when keys change by time alone. changed(): keys have changed; update() then applies all
  // changes.
  Tick next_change() const { return next_change_; }
  bool changed(Tick now) const {
    return next_change_ <= now || (!fixed_ && ordering_.keys_changed(1));
  }
  void update(Tick now) {
    if (changed(now)) {
      apply_changes(now);
    }
  }

  void serialize(Archive& archive);

 private:
  struct Bank {
    std::array<BankQueue, 2> waiting;  // reads, writes
    std::int64_t last_page = kNoRow;
  };

  Bank& bank_of(const Transaction& transaction) {
    return banks_[static_cast<std::size_t>(transaction.bank)];
  }
  BankQueue& line_of(const Transaction& transaction) {
    return bank_of(transaction).waiting[transaction.request.write ? 1 : 0];
  }
  bool row_hit(const Transaction& transaction) {
    return bank_of(transaction).last_page == transaction.row;
  }
  Transaction* best_of(std::size_t direction);
  void apply_changes(Tick now);
  void find_next_change();
  void place(Transaction& transaction) const;
  bool conflicts(const Transaction& transaction);
  void insert(Transaction& transaction);
  void set_keys(Transaction& transaction);
  void compete(Transaction& transaction);
  void release_held();
  void rekey(Transaction& transaction);
  void move_clock(Tick now) { clock_.move_to(Cycle(now / layout_.period), now); }
  template <class RowHit>
  void notify(TransactionPolicy::Hook hook,
              void (TransactionPolicy::*call)(const RequestView&, Tick), Transaction& transaction,
              Tick now, RowHit row_hit) {
    if (ordering_.wanted(hook)) {
      move_clock(now);
      ordering_.notify(hook, call, transaction, clock_.edge(), row_hit);
    }
  }

  const ChannelLayout layout_;
  EdgeClock clock_;
  TransactionPool pool_;
  Ordering ordering_;
  bool fixed_ = false;         // order of the scheduler
  Tick next_change_ = kNever;  // of the scheduler's keys by time
  std::vector<Bank> banks_;
  // By direction, reads first; one bit for each bank.
  std::array<std::uint64_t, 2> waiting_{};  // banks with waiting transactions
  std::array<std::uint64_t, 2> stale_{};    // banks whose leader is not known
  std::array<BankLeaders, 2> leaders_;
  PageCounts reads_;                // of the reads that are not sent
  std::vector<Transaction*> held_;  // wait for an older request to their page; oldest first
};

}  // namespace hmsim
