// SPDX-License-Identifier: BSD-3-Clause
// Selection and issue: which command goes out on an edge, and when the next one could.
#include "controller/channel.h"

namespace hmsim {

namespace {

ChannelCommand record_of(Command power_command) {
  switch (power_command) {
    case Command::power_down_enter:
      return ChannelCommand::power_down_enter;
    case Command::power_down_exit:
      return ChannelCommand::power_down_exit;
    case Command::self_refresh_enter:
      return ChannelCommand::self_refresh_enter;
    default:
      return ChannelCommand::self_refresh_exit;
  }
}

}  // namespace

void Channel::refresh() {
  if (command_bus_taken_) {
    return;
  }
  const RefreshStep step = refresh_.step(edge_);
  if (step.present()) {
    take_step(step);
  }
}

void Channel::take_step(const RefreshStep& step) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  const int turn = refresh_.turn(step.rank);
  if (step.bank >= 0) {
    bus_.refresh_prepared(step.rank, turn, edge_);
    precharge(step.bank, -1);
    return;
  }
  const bool all = dram_.refresh_mode == RefreshMode::all_bank;
  engine_.issue(all ? Command::refresh : Command::refresh_same_bank,
                step.rank * banks_per_rank_ + turn, edge_);
  ++statistics_.refreshes;
  bus_.refreshed(step.rank, turn, edge_);
  energy_.refreshed(step.rank, edge_);
  record(all ? ChannelCommand::refresh : ChannelCommand::refresh_same_bank, step.rank,
         all ? -1 : turn, -1, -1);
  refresh_.refreshed(step.rank, edge_);
  latency_.refreshed(step.rank, turn, edge_, refresh_);
  if (power_.active()) {
    power_.refreshed(step.rank);
  }
}

void Channel::wake() {
  const PowerStep step = power_.wake_step(edge_);
  if (step.present()) {
    take_step(step);
  }
}

void Channel::take_step(const PowerStep& step) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  if (step.bank >= 0) {
    precharge(step.bank, -1);
    return;
  }
  engine_.issue(step.command, step.rank * banks_per_rank_, edge_);
  power_.done(step, edge_);
  latency_.rescheduled(step.rank, refresh_);
  if (step.command == Command::power_down_enter || step.command == Command::self_refresh_enter) {
    energy_.sleeps(step.rank, step.command == Command::self_refresh_enter, edge_);
  } else {
    energy_.wakes(step.rank, edge_);
  }
  statistics_.power_downs += step.command == Command::power_down_enter ? 1 : 0;
  statistics_.self_refreshes += step.command == Command::self_refresh_enter ? 1 : 0;
  record(record_of(step.command), step.rank, -1, -1, -1);
}

// Commands that no request asks for, on an edge that has no other.
void Channel::use_free_slot() {
  const std::int32_t bank = pages_.closing(side_, edge_);
  if (bank >= 0) {
    ++statistics_.command_cycles;
    precharge(bank, -1);
    return;
  }
  if (refresh_.elastic()) {
    const RefreshStep step = refresh_.idle_step(edge_);
    if (step.present()) {
      take_step(step);
      return;
    }
  }
  if (power_.active()) {
    const PowerStep step = power_.sleep_step(edge_);
    if (step.present()) {
      take_step(step);
    }
  }
}

void Channel::issue() {
  if (command_bus_taken_) {
    banks_.advance(edge_);
    return;
  }
  Candidates candidates;
  if (endpoint_.active()) {
    endpoint_.collect(edge_, turnaround_, candidates);
  }
  // What is merely near matters only beside what is legal in the other class.
  const Cycle nearness = candidates.legal[1] != nullptr ? turnaround_ : Cycle(0);
  if (edge_ + nearness >= banks_.next()) {
    banks_.collect(edge_, nearness, candidates);
  }
  reserve(candidates);
  if (const Best* const winner = select(candidates)) {
    command_bus_taken_ = true;
    issue_data(winner->id, winner->command);
  } else {
    if (edge_ >= banks_.next()) {
      banks_.collect_others(edge_, candidates);
    }
    if (endpoint_.may_send()) {
      endpoint_.collect_others(candidates);
    }
    if (candidates.other != nullptr) {
      command_bus_taken_ = true;
      issue_other(candidates.other->id, candidates.other->command);
    }
  }
  statistics_.command_cycles += command_bus_taken_ ? 1 : 0;
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

Cycle Channel::next_wake() {
  const Cycle soonest = edge_ + Cycle(1);
  if (banks_.next() <= soonest) {
    return soonest;
  }
  Cycle next = finishes_.empty() ? kNeverCycle : finishes_.front().cycle;
  if (endpoint_.has_ack()) {
    next = earlier(next, next_ack(soonest));
  }
  next = keys_changed() ? soonest : earlier(next, next_policy_change_);
  next = earlier(next, guard_.next());
  next = earlier(next, refresh_.next(soonest));
  next = earlier(next, pages_.next());
  if (drained_) {
    next = earlier(next, drain_.next(edge_));
  }
  if (power_.active()) {
    next = earlier(next, power_.next(soonest));
  }
  next = earlier(next, banks_.next());
  if (next > soonest && endpoint_.active()) {
    next = earlier(next, endpoint_.next(soonest));
  }
  return later(soonest, next);
}

Cycle Channel::next_ack(Cycle edge) const {
  return controller_.ack == AckMode::grant
             ? edge
             : later(edge, endpoint_.earliest_burst(pool_[endpoint_.first_ack()]));
}

// Flat: a command queue holds so many issued but unfinished references per rank, and no more start.
// (Two-level transactions and NVDIMM commands are bounded elsewhere.)
inline void Channel::start(Transaction& transaction) {
  if (!transaction.started) {
    transaction.started = true;
    if (!two_level_ && --command_queue_free_[static_cast<std::size_t>(transaction.rank)] == 0) {
      banks_.hold(transaction.rank, true);
      ++held_ranks_;
    }
  }
}

// RD, WR or an NVDIMM burst (the grant; in `auto` mode the ack stands for it).
void Channel::issue_data(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  bool row_hit = false;
  if (is_nvdimm(transaction)) {
    row_hit = transaction.row == endpoint_.last_page(transaction.bank);
    engine_.issue(command, nvdimm_rank_ * banks_per_rank_, edge_);
    banks_.look_ahead();
    if (controller_.ack == AckMode::grant) {
      endpoint_.granted(id);
    }
  } else {
    row_hit = !transaction.activated;
    start(transaction);
    energy_.accessed(transaction.rank, command == Command::write);
    const std::size_t side = side_of(transaction);
    banks_.column(id, side, command, edge_);
    waits(transaction, side, -1);
    if (pages_.active()) {
      pages_.accessed(transaction.bank, transaction.view, edge_);
    }
    latency_.issued(transaction, edge_);
    statistics_.row_hits += row_hit ? 1 : 0;
  }
  const DramTiming& timing = dram_.timing;
  const bool write = transaction.request.write;
  finishes_.push({edge_ + Cycle((write ? timing.cwl : timing.cl) + timing.burst), id});
  transaction.state = TransactionState::transfer;
  guard_.issued(transaction, owner_of(transaction.request.memory));
  account_burst(transaction);
  tell(TransactionPolicy::kIssue, &TransactionPolicy::on_issue, transaction,
       [row_hit] { return row_hit; });
  leave_line(transaction, id);
  if (is_nvdimm(transaction)) {
    record(write ? ChannelCommand::nvdimm_write : ChannelCommand::nvdimm_read, transaction);
  } else {
    record(write ? ChannelCommand::write : ChannelCommand::read, transaction);
  }
}

inline void Channel::account_burst(const Transaction& transaction) {
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
inline void Channel::leave_line(const Transaction& transaction, TransactionId id) {
  if (transaction.successor == kNoTransaction) {
    line_order_.leave(LineOrder::line_of(transaction.request), id);
    return;
  }
  pool_[transaction.successor].predecessor = kNoTransaction;
  competes_only_now(pool_[transaction.successor]);
  compete(transaction.successor);
}

// ACT, PRE, or the read or write command that the NVDIMM will answer with an ack.
void Channel::issue_other(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  if (transaction.request.flush) {
    issue_flush(id);
    return;
  }
  if (is_nvdimm(transaction)) {
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
    return;
  }
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
  banks_.activate(transaction.bank, transaction.row, edge_);
  pages_.opened(transaction.bank);
  latency_.opened(transaction, edge_);
  ++statistics_.activates;
  energy_.activated(transaction.rank, edge_);
  record(ChannelCommand::activate, transaction);
}

void Channel::precharge(std::int32_t bank, std::int64_t request) {
  const int rank = bank / banks_per_rank_;
  banks_.precharge(bank, edge_);
  pages_.closed(bank);
  ++statistics_.precharges;
  energy_.precharged(rank, edge_);
  record(ChannelCommand::precharge, rank, bank % banks_per_rank_, -1, request);
}

}  // namespace hmsim
