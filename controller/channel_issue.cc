// SPDX-License-Identifier: BSD-3-Clause
// Selection and issue: which command goes out on an edge, and when the next one could.
#include "controller/channel.h"
#include "core/errors.h"

namespace hmsim {

void Channel::issue() {
  if (command_bus_taken_) {
    return;
  }
  Candidates candidates;
  consider_dram(edge_, candidates);
  consider_nvdimm(edge_, candidates);
  if (const Best* const winner = select(candidates)) {
    issue_data(winner->id, winner->command);
  } else if (candidates.oldest != kNoTransaction) {
    issue_other(candidates.oldest, candidates.oldest_command);
  } else {
    return;
  }
  ++statistics_.command_cycles;
}

// The data-bus command to issue on this edge, if any. The arbiter is asked when both classes have
// one; its choice stands until that class has had the bus, even if the turnaround is to be awaited.
const Channel::Best* Channel::select(const Candidates& candidates) {
  std::array<const Best*, kMemoryClasses> best{};
  for (std::size_t memory = 0; memory < best.size(); ++memory) {
    const bool legal = candidates.data[memory].id != kNoTransaction;
    best[memory] = legal ? &candidates.data[memory] : &candidates.near[memory];
  }
  const bool dram = best[0]->id != kNoTransaction;
  const bool nvdimm = best[1]->id != kNoTransaction;
  const bool any_legal = candidates.data[0].id != kNoTransaction ||
                         candidates.data[1].id != kNoTransaction;
  if (!any_legal) {
    return nullptr;
  }
  int winner = dram ? 0 : 1;
  if (dram && nvdimm) {
    winner = promised_ != kNobody ? promised_ : static_cast<int>(arbitrate(*best[0], *best[1]));
  }
  const auto index = static_cast<std::size_t>(winner);
  const bool legal = candidates.data[index].id != kNoTransaction;
  promised_ = legal ? kNobody : winner;
  return legal ? best[index] : nullptr;
}

Cycle Channel::next_wake() {
  const Cycle soonest = edge_ + Cycle(1);
  Cycle next = finishes_.empty() ? kNeverCycle : finishes_.front().cycle;
  if (!acks_.empty()) {
    next = earlier(next, next_ack(soonest));
  }
  for (const auto& scheduler : schedulers_) {
    if (scheduler != nullptr && scheduler->next_change() != kNever) {
      next = earlier(next, edge_from(scheduler->next_change()));
    }
  }
  next = earlier(next, next_refresh(soonest));
  if (next <= soonest) {
    return soonest;
  }
  Candidates candidates;
  consider_dram(soonest, candidates);
  if (!candidates.any()) {
    consider_nvdimm(soonest, candidates);
  }
  return candidates.any() ? soonest : later(soonest, earlier(next, candidates.next));
}

Cycle Channel::next_ack(Cycle edge) const {
  if (controller_.ack == AckMode::grant) {
    return edge;
  }
  const Transaction& first = pool_[static_cast<TransactionId>(acks_.front())];
  return later(edge, engine_.earliest(
                         first.request.write ? Command::nvdimm_write : Command::nvdimm_read,
                         nvdimm_rank_, nvdimm_rank_ * banks_per_rank_));
}

Cycle Channel::next_refresh(Cycle edge) const {
  Cycle next = kNeverCycle;
  for (int rank = 0; rank < nvdimm_rank_; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const int first = rank * banks_per_rank_;
    if (edge < refresh_due_[r]) {
      next = earlier(next, refresh_due_[r]);
    } else if (open_banks_[r] == 0) {
      next = earlier(next, engine_.earliest(Command::refresh, rank, first));
    } else {
      for (int bank = first; bank < first + banks_per_rank_; ++bank) {
        if (banks_[static_cast<std::size_t>(bank)].open_row != kNoRow) {
          next = earlier(next, engine_.earliest(Command::precharge, rank, bank));
        }
      }
    }
  }
  return next;
}

// The best transaction of each bank is its candidate; what counts is whether that one's next
// command is legal, so that a lesser one never closes the row that a better one needs.
void Channel::consider_dram(Cycle edge, Candidates& candidates) {
  const std::size_t side = eligible_side();
  for (const std::size_t index : active_banks_) {
    Bank& bank = banks_[index];
    const int rank = rank_of(index);
    if (bank.queued[side].empty() || edge >= refresh_due_[static_cast<std::size_t>(rank)]) {
      continue;
    }
    const TransactionId id = bank.queued[side].best(pool_, bank.open_row);
    const Transaction& transaction = pool_[id];
    Command command = Command::activate;
    if (transaction.row == bank.open_row) {
      command = transaction.request.write ? Command::write : Command::read;
    } else if (bank.open_row != kNoRow) {
      command = Command::precharge;
    }
    const Cycle earliest = engine_.earliest(command, rank, static_cast<int>(index));
    if (earliest > edge) {
      candidates.next = earlier(candidates.next, earliest);
      if (reserves_data_bus(command) && earliest <= edge + turnaround_) {
        consider_data(candidates.near[0], id, transaction.key_hit, command);
      }
    } else if (!may_start(transaction)) {
      continue;  // until one of its rank finishes
    } else if (reserves_data_bus(command)) {
      consider_data(candidates.data[0], id, transaction.key_hit, command);
    } else {
      consider_other(candidates, id, command);
    }
  }
}

void Channel::consider_nvdimm(Cycle edge, Candidates& candidates) {
  const int bus_bank = nvdimm_rank_ * banks_per_rank_;
  for (PseudoBank& bank : pseudo_banks_) {
    if (!bank.ready.empty()) {
      const TransactionId id = bank.ready.best(pool_, bank.last_page);
      const Transaction& transaction = pool_[id];
      const Command command =
          transaction.request.write ? Command::nvdimm_write : Command::nvdimm_read;
      const Cycle earliest =
          later(engine_.earliest(command, nvdimm_rank_, bus_bank), transaction.grant_from);
      const std::uint64_t key = key_of(transaction, bank.last_page);
      if (earliest > edge) {
        candidates.next = earlier(candidates.next, earliest);
        if (earliest <= edge + turnaround_) {
          consider_data(candidates.near[1], id, key, command);
        }
      } else {
        consider_data(candidates.data[1], id, key, command);
      }
    }
    if (!bank.queued.empty() && outstanding_ < controller_.outstanding_limit()) {
      const TransactionId id = bank.queued.best(pool_, bank.last_page);
      consider_other(candidates, id,
                     pool_[id].request.write ? Command::nvdimm_write : Command::nvdimm_read);
    }
  }
}

void Channel::consider_data(Best& best, TransactionId id, std::uint64_t key,
                            Command command) const {
  if (best.id == kNoTransaction ||
      goes_before(key, pool_[id].request.id, best.key, pool_[best.id].request.id)) {
    best = {id, key, command};
  }
}

void Channel::consider_other(Candidates& candidates, TransactionId id, Command command) const {
  if (candidates.oldest == kNoTransaction ||
      pool_[id].request.id < pool_[candidates.oldest].request.id) {
    candidates.oldest = id;
    candidates.oldest_command = command;
  }
}

MemoryClass Channel::arbitrate(const Best& dram, const Best& nvdimm) {
  const MemoryClass winner =
      arbiter_->choose({view(pool_[dram.id]), view(pool_[nvdimm.id]), dram.key, nvdimm.key,
                        static_cast<int>(pending_[0]), static_cast<int>(pending_[1]),
                        time_of(edge_)});
  ++(winner == MemoryClass::dram ? statistics_.dram_wins : statistics_.nvdimm_wins);
  return winner;
}

// Flat: a command queue holds so many issued but unfinished references per rank, and no more start.
// (Two-level transactions and NVDIMM commands are bounded elsewhere.)
bool Channel::may_start(const Transaction& transaction) const {
  return transaction.started || two_level_ ||
         command_queue_free_[static_cast<std::size_t>(transaction.rank)] > 0;
}

void Channel::start(Transaction& transaction) {
  if (!transaction.started) {
    transaction.started = true;
    if (!two_level_) {
      --command_queue_free_[static_cast<std::size_t>(transaction.rank)];
    }
  }
}

// RD, WR or an NVDIMM burst (the grant; in `auto` mode the ack stands for it).
void Channel::issue_data(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  const auto index = static_cast<std::size_t>(transaction.bank);
  const bool nvdimm = is_nvdimm(transaction);
  if (nvdimm) {
    PseudoBank& bank = pseudo_banks_[index];
    if (controller_.ack == AckMode::grant) {
      bank.ready.remove(pool_, id);
    }
    engine_.issue(command, nvdimm_rank_, nvdimm_rank_ * banks_per_rank_, edge_);
  } else {
    start(transaction);
    const std::size_t side = side_of(transaction);
    banks_[index].queued[side].remove(pool_, id);
    --(side == 0 ? queued_reads_ : queued_writes_);
    if (banks_[index].queued[0].empty() && banks_[index].queued[1].empty()) {
      deactivate(index);
    }
    engine_.issue(command, transaction.rank, transaction.bank, edge_);
    statistics_.row_hits += transaction.activated ? 0 : 1;
  }
  const bool write = transaction.request.write;
  const DramTiming& timing = dram_.timing;
  const Cycle finish = edge_ + Cycle((write ? timing.cwl : timing.cl) + timing.burst);
  finishes_.push({finish, id});
  transaction.state = TransactionState::transfer;
  account_burst(transaction);
  scheduler_of(transaction.request.memory).on_issue(view(transaction), time_of(edge_));
  leave_line(transaction, id);
  if (nvdimm) {
    record(write ? ChannelCommand::nvdimm_write : ChannelCommand::nvdimm_read, nvdimm_rank_,
           transaction.bank, transaction.row, static_cast<std::int64_t>(transaction.request.id));
  } else {
    record(write ? ChannelCommand::write : ChannelCommand::read, transaction.rank,
           transaction.bank % banks_per_rank_, transaction.row,
           static_cast<std::int64_t>(transaction.request.id));
  }
}

void Channel::account_burst(const Transaction& transaction) {
  const auto cycles = static_cast<Counter>(dram_.timing.burst);
  (is_nvdimm(transaction) ? statistics_.nvdimm_data_cycles : statistics_.dram_data_cycles) +=
      cycles;
  const int driver = transaction.rank * 2 + (transaction.request.write ? 1 : 0);
  statistics_.turnarounds += last_driver_ >= 0 && driver != last_driver_ ? 1 : 0;
  last_driver_ = driver;
}

// The next younger transaction to the line competes from now on.
void Channel::leave_line(Transaction& transaction, TransactionId id) {
  if (transaction.successor == kNoTransaction) {
    line_order_.leave(LineOrder::line_of(transaction.request), id);
    return;
  }
  pool_[transaction.successor].predecessor = kNoTransaction;
  compete(transaction.successor);
  wake_by(edge_ + Cycle(1));
}

void Channel::deactivate(std::size_t bank) {
  active_[bank] = false;
  for (std::size_t& active : active_banks_) {
    if (active == bank) {
      active = active_banks_.back();
      active_banks_.pop_back();
      return;
    }
  }
}

// ACT, PRE, or the read or write command that the NVDIMM will answer with an ack.
void Channel::issue_other(TransactionId id, Command command) {
  Transaction& transaction = pool_[id];
  const auto index = static_cast<std::size_t>(transaction.bank);
  const auto request = static_cast<std::int64_t>(transaction.request.id);
  if (is_nvdimm(transaction)) {
    PseudoBank& bank = pseudo_banks_[index];
    bank.queued.remove(pool_, id);
    if (bank.last_page != transaction.row) {
      bank.last_page = transaction.row;
      bank.queued.row_changed();
      bank.ready.row_changed();
    }
    ++outstanding_;
    transaction.state = TransactionState::waiting;
    record(transaction.request.write ? ChannelCommand::nvdimm_write_command
                                     : ChannelCommand::nvdimm_read_command,
           nvdimm_rank_, transaction.bank, transaction.row, request);
    nvdimm_->command(static_cast<std::uint32_t>(id), transaction.local, transaction.request.write,
                     time_of(edge_ + Cycle(1)));
    return;
  }
  start(transaction);
  transaction.activated = true;
  if (command == Command::precharge) {
    precharge(transaction.bank, request);
    return;
  }
  Bank& bank = banks_[index];
  engine_.issue(Command::activate, transaction.rank, transaction.bank, edge_);
  bank.open_row = transaction.row;
  bank.queued[0].row_changed();
  bank.queued[1].row_changed();
  ++open_banks_[static_cast<std::size_t>(transaction.rank)];
  ++statistics_.activates;
  record(ChannelCommand::activate, transaction.rank, transaction.bank % banks_per_rank_,
         transaction.row, request);
}

void Channel::precharge(int bank, std::int64_t request) {
  const auto index = static_cast<std::size_t>(bank);
  const int rank = rank_of(index);
  engine_.issue(Command::precharge, rank, bank, edge_);
  banks_[index].open_row = kNoRow;
  banks_[index].queued[0].row_changed();
  banks_[index].queued[1].row_changed();
  --open_banks_[static_cast<std::size_t>(rank)];
  ++statistics_.precharges;
  record(ChannelCommand::precharge, rank, bank % banks_per_rank_, -1, request);
}

}  // namespace hmsim
