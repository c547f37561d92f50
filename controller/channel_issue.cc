// SPDX-License-Identifier: BSD-3-Clause
// Selection and issue: which command goes out on an edge, and when the next one could.
#include "controller/channel.h"

namespace hmsim {

HMSIM_INLINE void Channel::account_burst(const Transaction& transaction) {
  const auto cycles = static_cast<Counter>(dram_.timing.burst);
  (is_nvdimm(transaction) ? statistics_.nvdimm_data_cycles : statistics_.dram_data_cycles) +=
      cycles;
  const int driver = transaction.rank * 2 + (transaction.request.write ? 1 : 0);
  const bool changed = last_driver_ >= 0 && driver != last_driver_;
  statistics_.turnarounds += changed ? 1 : 0;
  last_driver_ = driver;
  bus_.burst(transaction, changed, edge_);
}

// The next younger transaction to the line competes from now on.
HMSIM_INLINE void Channel::leave_line(const Transaction& transaction, TransactionId id) {
  if (transaction.successor == kNoTransaction) {
    line_order_.leave(pool_, id);
    return;
  }
  pool_[transaction.successor].predecessor = kNoTransaction;
  competes_only_now(pool_[transaction.successor]);
  compete(transaction.successor);
}

// What all data-bus commands have in common.
HMSIM_INLINE void Channel::issue_data(Transaction& transaction, TransactionId id, bool row_hit) {
  const DramTiming& timing = dram_.timing;
  const std::int64_t latency = transaction.request.write ? timing.cwl : timing.cl;
  const Cycle end = edge_ + Cycle(latency + timing.burst);
  finishes_.push(end, id);
  calm_until_ = earlier(calm_until_, end);
  transaction.state = TransactionState::transfer;
  if (has_specials_) {
    guard_.issued(transaction, owner_of(transaction.request.memory));
  }
  account_burst(transaction);
  tell(TransactionPolicy::kIssue, &TransactionPolicy::on_issue, transaction,
       [row_hit] { return row_hit; });
  leave_line(transaction, id);
}

// Flat: a command queue holds so many issued but unfinished references per rank, and no more start.
// (Two-level transactions and NVDIMM commands are bounded elsewhere.)
HMSIM_INLINE void Channel::start(Transaction& transaction) {
  if (!transaction.started) {
    transaction.started = true;
    if (!two_level_ && --command_queue_free_[static_cast<std::size_t>(transaction.rank)] == 0) {
      banks_.hold(transaction.rank, true);
      ++held_ranks_;
    }
  }
}

// RD or WR.
void Channel::issue_column(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  start(transaction);
  energy_.accessed(transaction.rank, command == Command::write);
  const std::size_t side = side_of(transaction);
  on_banks([&](auto& banks) { banks.column(id, side, command, edge_); });
  if (has_specials_) {
    waits(transaction, side, -1);
    if (pages_.active()) {
      pages_.accessed(transaction.bank, transaction.view, edge_);
    }
  }
  latency_.issued(transaction, edge_);
  statistics_.row_hits += transaction.activated ? 0 : 1;
  issue_data(transaction, id, !transaction.activated);
  record(command == Command::write ? ChannelCommand::write : ChannelCommand::read, transaction);
}

void Channel::precharge(std::int32_t bank, std::int64_t request) {
  const int rank = bank / banks_per_rank_;
  on_banks([&](auto& banks) { banks.precharge(bank, edge_); });
  pages_.closed(bank);
  ++statistics_.precharges;
  energy_.precharged(rank, edge_);
  record(ChannelCommand::precharge, rank, bank % banks_per_rank_, -1, request);
}

// ACT or PRE.
void Channel::issue_row(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  start(transaction);
  if (!transaction.activated) {
    latency_.started(transaction, edge_);
  }
  transaction.activated = true;
  if (command == Command::precharge) {
    precharge(transaction.bank, static_cast<std::int64_t>(transaction.request.id));
    return;
  }
  transaction.activated_at = edge_;
  transaction.activate_held =
      edge_ -
      later(transaction.admitted, Cycle(engine_.bank_ready(Command::activate, transaction.bank)));
  on_banks([&](auto& banks) { banks.activate(transaction.bank, transaction.row, edge_); });
  pages_.opened(transaction.bank);
  latency_.opened(transaction, edge_);
  ++statistics_.activates;
  energy_.activated(transaction.rank, edge_);
  record(ChannelCommand::activate, transaction);
}

// While an overdue transaction waits for its data-bus command only, no other of its class has one:
// else those that need no turnaround could keep it from being legal for ever.
inline void Channel::reserve(Candidates& candidates) const {
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    const std::uint32_t slot = guard_.oldest_overdue(memory);
    if (slot != StarvationGuard::kNone &&
        lacks_data_only(pool_[static_cast<TransactionId>(slot)])) {
      const auto other = [slot](const Best* best) {
        return best != nullptr && best->id != static_cast<TransactionId>(slot);
      };
      const auto i = static_cast<std::size_t>(memory);
      candidates.legal[i] = other(candidates.legal[i]) ? nullptr : candidates.legal[i];
      candidates.near[i] = other(candidates.near[i]) ? nullptr : candidates.near[i];
    }
  }
  if (controller_.ack == AckMode::automatic && overdue_burst_waits()) {
    candidates.legal[0] = nullptr;
    candidates.near[0] = nullptr;
  }
}

// In `auto` mode: the NVDIMM waits for a place for an overdue burst; no DRAM request has been
// overdue for longer.
bool Channel::overdue_burst_waits() const {
  if (!endpoint_.has_ack() || !pool_[endpoint_.first_ack()].overdue) {
    return false;
  }
  const std::uint32_t dram = guard_.oldest_overdue(MemoryClass::dram);
  return dram == StarvationGuard::kNone || pool_[endpoint_.first_ack()].request.id <
                                               pool_[static_cast<TransactionId>(dram)].request.id;
}

bool Channel::lacks_data_only(const Transaction& transaction) const {
  if (is_nvdimm(transaction)) {
    return transaction.state == TransactionState::ready;
  }
  const bool may_start = transaction.started || two_level_ ||
                         command_queue_free_[static_cast<std::size_t>(transaction.rank)] > 0;
  return transaction.state == TransactionState::queued && side_of(transaction) == side_ &&
         may_start && banks_.open_row(transaction.bank) == transaction.row;
}

// The data-bus command to issue on this edge, if any. The arbiter is asked when both classes have
// one; its choice stands until that class has had the bus, even if the turnaround is to be awaited.
inline const Best* Channel::select(const Candidates& candidates) {
  const std::array<const Best*, kMemoryClasses>& legal = candidates.legal;
  if (legal[0] == nullptr && legal[1] == nullptr) {
    return nullptr;
  }
  const Best* const dram = legal[0] != nullptr ? legal[0] : candidates.near[0];
  const Best* const nvdimm = legal[1] != nullptr ? legal[1] : candidates.near[1];
  int winner = dram != nullptr ? 0 : 1;
  if (dram != nullptr && nvdimm != nullptr) {
    winner = promised_ != kNobody ? promised_ : static_cast<int>(arbitrate(*dram, *nvdimm));
  }
  const Best* const chosen = legal[static_cast<std::size_t>(winner)];
  promised_ = chosen != nullptr ? kNobody : winner;
  return chosen;
}

MemoryClass Channel::arbitrate(const Best& dram, const Best& nvdimm) {
  Transaction& one = pool_[dram.id];
  Transaction& other = pool_[nvdimm.id];
  if (one.overdue || other.overdue) {
    const bool dram_first = one.overdue && (!other.overdue || one.request.id < other.request.id);
    return dram_first ? MemoryClass::dram : MemoryClass::nvdimm;
  }
  const MemoryClass winner = arbiter_->choose(
      {seen(one, would_hit(one)), seen(other, would_hit(other)), dram.key, nvdimm.key,
       static_cast<int>(pending_[0]), static_cast<int>(pending_[1]), now_});
  ++(winner == MemoryClass::dram ? statistics_.dram_wins : statistics_.nvdimm_wins);
  return winner;
}

// An NVDIMM burst: the grant; in `auto` mode the ack stands for it.
void Channel::issue_grant(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  const bool row_hit = transaction.row == endpoint_.last_page(transaction.bank);
  engine_.issue(command, nvdimm_rank_ * banks_per_rank_, edge_);
  if (banks_.next() != kNeverCycle) {
    banks_.look_ahead();
  }
  if (controller_.grants()) {
    endpoint_.granted(id);
  }
  issue_data(transaction, id, row_hit);
  record(transaction.request.write ? ChannelCommand::nvdimm_write : ChannelCommand::nvdimm_read,
         transaction);
}

// The read or write command that the NVDIMM will answer with an ack.
void Channel::send_command(TransactionId id) {
  Transaction& transaction = pool_[id];
  if (transaction.request.flush) {
    issue_flush(id);
    return;
  }
  const bool write = transaction.request.write;
  const bool row_hit = would_hit(transaction);
  endpoint_.command_sent(id);
  latency_.started(transaction, edge_);
  transaction.state = TransactionState::waiting;
  record(write ? ChannelCommand::nvdimm_write_command : ChannelCommand::nvdimm_read_command,
         transaction);
  tell(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
       [row_hit] { return row_hit; });
  nvdimm_->command(transaction.slot, transaction.local, write, time_of(edge_ + Cycle(1)));
}

// Both classes may have something to issue, or transactions be overdue.
void Channel::issue_either() {
  Candidates candidates;
  // What is merely near matters only beside what is legal in the other class.
  endpoint_.collect(edge_, edge_ >= banks_.next() ? turnaround_ : Cycle(0), candidates);
  const Cycle nearness = candidates.legal[1] != nullptr ? turnaround_ : Cycle(0);
  if (edge_ + nearness >= banks_.next()) {
    banks_.collect(edge_, nearness, candidates);
  }
  reserve(candidates);
  if (const Best* const winner = select(candidates)) {
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    if (hmsim::is_nvdimm(winner->command)) {
      issue_grant(winner->id, winner->command);
    } else {
      issue_column(winner->id, winner->command);
    }
    return;
  }
  if (edge_ >= banks_.next()) {
    banks_.collect_others(edge_, candidates);
  }
  if (endpoint_.may_send()) {
    endpoint_.collect_others(candidates);
  }
  if (candidates.other != nullptr) {
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    if (hmsim::is_nvdimm(candidates.other->command)) {
      send_command(candidates.other->id);
    } else {
      issue_row(candidates.other->id, candidates.other->command);
    }
  }
}

// The NVDIMM alone may have something to issue: no command of the DRAM is legal, or near.
[[gnu::flatten]] void Channel::issue_nvdimm() {
  Candidates candidates;
  endpoint_.collect(edge_, Cycle(0), candidates);
  if (const Best* const burst = candidates.legal[1]) {
    promised_ = kNobody;
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    issue_grant(burst->id, burst->command);
  } else if (endpoint_.may_send()) {
    endpoint_.collect_others(candidates);
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    send_command(candidates.other->id);
  }
}

void Channel::issue() {
  if (command_bus_taken_) {
    if (edge_ >= banks_.next()) {
      banks_.advance(edge_);
    }
  } else if (has_specials_ || (endpoint_.active() && edge_ + turnaround_ >= banks_.next())) {
    issue_either();
  } else if (endpoint_.active()) {
    issue_nvdimm();
  } else {
    issue_dram();
  }
}

// The DRAM alone may have something to issue. In one piece: most edges are this.
[[gnu::flatten]] void Channel::issue_dram() {
  const Best* const best = on_banks([this](auto& banks) { return banks.select(edge_); });
  if (best == nullptr) {
    return;
  }
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  if (reserves_data_bus(best->command)) {
    promised_ = kNobody;
    issue_column(best->id, best->command);
  } else {
    issue_row(best->id, best->command);
  }
}

// When anything but the banks is next due, as far as it is known.
Cycle Channel::next_event_apart(Cycle soonest) {
  Cycle next = earlier(refresh_.next(soonest), finishes_.next());
  if (endpoint_.has_ack()) {
    next = earlier(next, next_ack(soonest));
  }
  if (has_specials_) {
    next = earlier(next, next_special(soonest));
  }
  if (next > soonest && endpoint_.active()) {
    next = earlier(next, endpoint_.next(soonest));
  }
  return next;
}

Cycle Channel::next_special(Cycle soonest) {
  if (keys_changed()) {
    return soonest;
  }
  Cycle next = earlier(next_policy_change_, guard_.next());
  if (posts_writes_) {
    next = earlier(next, next_response(soonest));
  }
  next = earlier(next, pages_.next());
  if (drained_) {
    next = earlier(next, drain_.next(edge_));
  }
  if (power_.active()) {
    next = earlier(next, power_.next(soonest));
  }
  return next;
}

Cycle Channel::next_ack(Cycle edge) const {
  return controller_.grants() ? edge
                              : later(edge, endpoint_.earliest_burst(pool_[endpoint_.first_ack()]));
}

}  // namespace hmsim
