// SPDX-License-Identifier: BSD-3-Clause
// What each command of a transaction changes. For the loops over edges to take in.
#pragma once

#include "controller/channel/channel_edge.h"

namespace hmsim {

// `begin`: of its data.
HMSIM_INLINE void Channel::account_burst(const Transaction& transaction, bool write, Cycle begin) {
  const int driver = transaction.rank * 2 + (write ? 1 : 0);
  bool changed = false;
  if (driver != last_driver_) {
    changed = last_driver_ >= 0;
    statistics_.turnarounds += changed ? 1 : 0;
    last_driver_ = driver;
  }
  bus_.burst(transaction, changed, edge_, begin);
}

// The next younger transaction to the line competes from now on.
HMSIM_INLINE void Channel::leave_line(const Transaction& transaction, Phases phases) {
  if (transaction.successor == nullptr) {
    line_order_.leave(transaction);
    return;
  }
  Transaction& successor = *transaction.successor;
  successor.predecessor = nullptr;
  competes_only_now(successor);
  compete(successor, phases);
}

// What all data-bus commands have in common. `phases`: here and below phases_, as a
// constant within a calm.
template <class RowHit>
HMSIM_INLINE void Channel::issue_data(Transaction& transaction, bool write, Phases phases,
                                      RowHit row_hit, Counter& data_cycles) {
  const DramTiming& timing = dram_.timing;
  data_cycles += static_cast<Counter>(timing.burst);
  const Cycle begin = edge_ + Cycle(write ? timing.cwl : timing.cl);
  const Cycle end = begin + Cycle(timing.burst);
  finishes_.push(end, transaction);
  transaction.state = TransactionState::transfer;
  if (phases != Phases::plain) {
    guard_.issued(transaction, owner_of(transaction.request.memory));
  }
  account_burst(transaction, write, begin);
  tell(TransactionPolicy::kIssue, &TransactionPolicy::on_issue, transaction, row_hit);
}

// Flat: a command queue holds so many issued but unfinished references per rank, and no more start.
// (Two-level transactions and NVDIMM commands are bounded elsewhere.)
HMSIM_INLINE void Channel::start(Transaction& transaction) {
  transaction.started = true;
  if (command_queues_fill_ &&
      --command_queue_free_[static_cast<std::size_t>(transaction.rank)] == 0) {
    banks_.hold(transaction.rank, true);
    ++held_ranks_;
  }
}

// RD or WR.
template <class Banks>
HMSIM_INLINE void Channel::issue_column(Banks& banks, Transaction& transaction, Command command,
                                        Phases phases) {
  if (!transaction.started) {
    start(transaction);
  }
  const Cycle edge = edge_;
  const bool write = command == Command::write;
  energy_.accessed(transaction.rank, write);
  const std::size_t side = phases == Phases::all ? side_of(transaction) : 0;
  banks.column(transaction, side, command, edge);
  if (phases == Phases::all) {
    waits(transaction, side, -1);
    if (pages_.active()) {
      pages_.accessed(transaction.bank, transaction.view, edge);
    }
  }
  latency_.issued(transaction, edge);
  if (!transaction.activated) {
    ++statistics_.row_hits;
  }
  issue_data(
      transaction, write, phases, [&transaction] { return !transaction.activated; },
      statistics_.dram_data_cycles);
  record(write ? ChannelCommand::write : ChannelCommand::read, transaction);
}

// ACT or PRE.
template <class Banks>
HMSIM_INLINE void Channel::issue_row(Banks& banks, Transaction& transaction, Command command,
                                     Phases phases) {
  const Cycle edge = edge_;
  if (!transaction.activated) {
    transaction.activated = true;
    start(transaction);
    latency_.started(transaction, edge);
  }
  if (command == Command::precharge) {
    precharge(banks, transaction.bank, transaction.rank,
              static_cast<std::int64_t>(transaction.request.id), phases);
    return;
  }
  transaction.activated_at = edge;
  transaction.activate_held =
      edge - later(transaction.admitted, banks.activate_ready(transaction.bank));
  banks.activate(transaction, edge);
  if (phases == Phases::all) {
    pages_.opened(transaction.bank);
  }
  latency_.opened(transaction, edge);
  ++statistics_.activates;
  energy_.activated(transaction.rank, edge);
  record(ChannelCommand::activate, transaction);
}

}  // namespace hmsim
