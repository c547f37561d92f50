// SPDX-License-Identifier: BSD-3-Clause
// Selection and issue: which command goes out on an edge.
#include "controller/channel/channel_commands.h"

namespace hmsim {

void Channel::precharge(std::int32_t bank, std::int64_t request) {
  on_banks([&](auto& banks) { precharge(banks, bank, bank / banks_per_rank_, request, phases_); });
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
  Transaction& one = *dram.transaction;
  Transaction& other = *nvdimm.transaction;
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
void Channel::issue_grant(Transaction& transaction, Command command) {
  on_banks([&](auto& banks) { banks.nvdimm_burst(command, edge_); });
  if (grants_) {
    endpoint_.granted(transaction);
  }
  issue_data(
      transaction, transaction.request.write, phases_, [&] { return would_hit(transaction); },
      statistics_.nvdimm_data_cycles);
  record(transaction.request.write ? ChannelCommand::nvdimm_write : ChannelCommand::nvdimm_read,
         transaction);
  leave_line(transaction, phases_);
}

// The read or write command that the NVDIMM will answer with an ack.
void Channel::send_command(Transaction& transaction) {
  if (transaction.request.flush) {
    issue_flush(transaction);
    return;
  }
  const bool write = transaction.request.write;
  const bool row_hit = (told_ & TransactionPolicy::kCommand) != 0 && would_hit(transaction);
  endpoint_.command_sent(transaction);
  latency_.started(transaction, edge_);
  transaction.state = TransactionState::waiting;
  record(write ? ChannelCommand::nvdimm_write_command : ChannelCommand::nvdimm_read_command,
         transaction);
  tell(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
       [row_hit] { return row_hit; });
  nvdimm_->command(transaction.slot, transaction.local, write, time_of(edge_ + Cycle(1)));
}

// Both classes may have something to issue, or transactions be overdue.
[[gnu::noinline]] void Channel::issue_either() {
  Candidates candidates;
  // What is merely near matters only beside what is legal in the other class.
  endpoint_.collect(edge_, edge_ >= banks_.next() ? turnaround_ : Cycle(0), candidates);
  const Cycle nearness = candidates.legal[1] != nullptr ? turnaround_ : Cycle(0);
  if (edge_ + nearness >= banks_.next()) {
    banks_.collect(edge_, nearness, candidates);
  }
  if (phases_ != Phases::plain) {
    reserve(candidates);
  }
  if (const Best* const winner = select(candidates)) {
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    if (hmsim::is_nvdimm(winner->command)) {
      issue_grant(*winner->transaction, winner->command);
    } else {
      Transaction& transaction = *winner->transaction;
      const Command command = winner->command;
      on_banks([&](auto& banks) { issue_column(banks, transaction, command, phases_); });
      leave_line(transaction, phases_);
    }
    return;
  }
  if (edge_ >= banks_.next()) {
    banks_.collect_others(edge_, candidates);
  }
  if (endpoint_.may_send()) {
    endpoint_.collect_command(candidates);
  }
  if (candidates.other != nullptr) {
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    if (hmsim::is_nvdimm(candidates.other->command)) {
      send_command(*candidates.other->transaction);
    } else {
      const Best& other = *candidates.other;
      on_banks([&](auto& banks) { issue_row(banks, *other.transaction, other.command, phases_); });
    }
  }
}

// The NVDIMM alone may have something to issue: no command of the DRAM is legal, or near.
[[gnu::flatten]] void Channel::issue_nvdimm() {
  if (Transaction* const burst = endpoint_.select_burst(edge_)) {
    promised_ = kNobody;
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    issue_grant(*burst, NvdimmEndpoint::burst_of(*burst));
  } else if (endpoint_.may_send()) {
    command_bus_taken_ = true;
    ++statistics_.command_cycles;
    send_command(endpoint_.select_command());
  }
}

void Channel::issue() {
  if (command_bus_taken_) {
    if (edge_ >= banks_.next()) {
      banks_.advance(edge_);
    }
  } else if (phases_ != Phases::plain || edge_ + turnaround_ >= banks_.next()) {
    issue_either();
  } else {
    issue_nvdimm();
  }
}

// Within a calm, where the DRAM alone may have something to issue.
template <class Banks>
HMSIM_INLINE void Channel::issue_dram(Banks& banks, Phases phases) {
  if (const Best* const burst = banks.select_burst(edge_, phases != Phases::plain)) {
    ++statistics_.command_cycles;
    promised_ = kNobody;
    Transaction& transaction = *burst->transaction;
    if (burst->command == Command::read) {  // constants from here on
      issue_column(banks, transaction, Command::read, phases);
    } else {
      issue_column(banks, transaction, Command::write, phases);
    }
    leave_line(transaction, phases);
  } else if (const Best* const row = banks.select_row(edge_)) {
    ++statistics_.command_cycles;
    if (row->command == Command::activate) {
      issue_row(banks, *row->transaction, Command::activate, phases);
    } else {
      issue_row(banks, *row->transaction, Command::precharge, phases);
    }
  }
}

// From this edge on, as long as nothing happens but commands of the DRAM and completions. In one
// piece: most edges are this. Keys that a command changed end the calm.
template <class Banks>
HMSIM_INLINE void Channel::issue_in_calm(Banks& banks, Phases phases) {
  Tick limit = earlier(wakeup_.leave(), nvdimm_due_);
  Cycle limit_edge = first_edge(limit);
  Cycle end = earlier(limit_edge, calm_end(phases));
  Cycle next;
  for (;;) {
    if (banks.next() <= edge_) {
      issue_dram(banks, phases);
      if (phases == Phases::keyed) {
        calm_until_ = keys_changed() ? edge_ + Cycle(1) : calm_until_;
        end = earlier(limit_edge, calm_end(phases));
      }
    }
    next = earlier(later(edge_ + Cycle(1), banks.next()), finishes_.next());
    if (next >= end) {
      break;
    }
    edge_ = next;
    if (finishes_.next() == next) {
      now_ = time_of(next);
      wakeup_.go_on(now_);
      answer(phases);
      if (edge_ >= calm_end(phases) || endpoint_.active()) {
        end_begun_edge(banks);
        return;
      }
      if (phases == Phases::plain && pool_.all_free() && put_off(calm_until_)) {
        wakeup_.went_on(now_);
        return;
      }
      if (const Tick changed = earlier(wakeup_.leave(), nvdimm_due_); changed != limit) {
        limit = changed;
        limit_edge = first_edge(limit);
      }
      end = earlier(limit_edge, calm_end(phases));
    }
  }
  now_ = time_of(edge_);
  wake_at(earlier(next, calm_end(phases)));
  wakeup_.went_on(now_);
}

// Selection and issue on one edge within the calm, where the NVDIMM, too, may have commands.
template <class Banks>
HMSIM_INLINE void Channel::end_calm_edge(Banks& banks) {
  if (command_bus_taken_) {
    if (edge_ >= banks.next()) {
      banks.advance(edge_);
    }
  } else if (edge_ + turnaround_ >= banks.next()) {
    issue_either();
  } else {
    issue_nvdimm();
  }
  const Cycle soonest = edge_ + Cycle(1);
  if (phases_ == Phases::keyed && keys_changed()) {
    calm_until_ = soonest;
  }
  Cycle next = earlier(earlier(banks.next(), finishes_.next()), calm_end(phases_));
  if (next > soonest) {
    next = earlier(next, endpoint_.next(soonest));
  }
  wake_at(later(soonest, next));
}

// Selection and issue where more than that may happen, and what comes after.
[[gnu::noinline]] void Channel::end_edge() {
  if (edge_ >= banks_.next() || endpoint_.may_act(edge_)) {
    issue();
  }
  if (phases_ == Phases::all) {
    if ((counts_waiting_ || power_.active()) && !command_bus_taken_) {
      use_free_slot();
    }
    update_drain();
  }
  const Cycle soonest = edge_ + Cycle(1);
  wake_by(banks_.next() <= soonest ? soonest : later(soonest, next_event(soonest)));
}

template <class Banks>
HMSIM_INLINE void Channel::end_begun_edge(Banks& banks) {
  if (edge_ < calm_end(phases_)) {
    end_calm_edge(banks);
  } else {
    end_edge();
  }
}

// Advances the NVDIMM up to the next edge, which comes after it at one time. False: others are due
// before.
HMSIM_INLINE bool Channel::meet_nvdimm(Tick& now) {
  for (Tick due = nvdimm_due_; due <= wake_time_; due = nvdimm_due_) {
    if (due != now && !wakeup_.go_on(due)) {
      return false;
    }
    now = due;
    nvdimm_->advance(due);
  }
  return true;
}

[[gnu::noinline]] bool Channel::begin_special_edge() {
  return phases_ == Phases::keyed ? begin_edge(Phases::keyed) : begin_edge(Phases::all);
}

template <class Banks>
[[gnu::flatten]] void Channel::issue_in_keyed_calm(Banks& banks) {
  issue_in_calm(banks, Phases::keyed);
}

template <class Banks>
[[gnu::flatten]] Tick Channel::go_on(Banks& banks, Tick now) {
  bool calm = false;
  while (meet_nvdimm(now) && (wake_time_ == now || wakeup_.go_on(wake_time_))) {
    edge_ = wake_;
    now_ = wake_time_;
    if (!calm || edge_ >= calm_end(phases_)) {
      if (!begin_edge()) {
        now = now_;
        continue;
      }
    } else if (finishes_.next() <= edge_) {
      answer(phases_ == Phases::plain ? Phases::plain : Phases::keyed);
    } else {
      command_bus_taken_ = false;
    }
    calm = true;
    if (edge_ < calm_end(phases_) && !endpoint_.active() && !command_bus_taken_) {
      if (phases_ == Phases::plain) {
        issue_in_calm(banks, Phases::plain);
      } else {
        issue_in_keyed_calm(banks);
      }
    } else {
      end_begun_edge(banks);
    }
    now = now_;
  }
  return next_event();
}

// Where it is not due yet, it looks at the edge all the same.
Tick Channel::advance(Tick now) {
  if (next_event() > now) {
    wake_at(Cycle(now / period_));
  }
  return on_banks([&](auto& banks) { return go_on(banks, now); });
}

}  // namespace hmsim
