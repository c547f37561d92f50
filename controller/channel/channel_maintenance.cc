// SPDX-License-Identifier: BSD-3-Clause
// What comes before commands that requests ask for, and commands that none asks for: refreshes,
// power modes, and precharges by the page policy.
#include <utility>

#include "controller/channel/channel.h"
#include "controller/channel/channel_edge.h"

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

void Channel::prepare() {
  if (two_level_) {
    stage();
  }
  renew_keys();
  update_drain();
  if (posts_writes_) {
    give_credits();
  }
  if (power_.active() && !command_bus_taken_) {
    wake();
  }
}

// The side stands still while a rank's command queue is full: those that fill it must go on.
void Channel::update_drain() {
  if (!drained_ || held_ranks_ > 0) {
    return;
  }
  const std::size_t before = side_;
  const std::uint32_t overdue = guard_.oldest_overdue(MemoryClass::dram);
  const Direction direction = overdue == StarvationGuard::kNone ? schedulers_[0]->direction()
                              : side_of(pool_[overdue]) == 1    ? Direction::writes
                                                                : Direction::reads;
  side_ = drain_.choose(direction, edge_);
  if (side_ != before) {
    latency_.side_changed(edge_);
  }
  banks_.compete(side_, edge_);
}

template <class Banks>
HMSIM_INLINE void Channel::precharge_for_refresh(Banks& banks, std::int32_t bank, int rank) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  bus_.refresh_prepared(rank, refresh_.turn(rank), edge_);
  precharge(banks, bank, rank, -1, phases_);
}

template <class Banks>
HMSIM_INLINE void Channel::issue_refresh(Banks& banks, int rank) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  const int turn = refresh_.turn(rank);
  const bool all = dram_.refresh_mode == RefreshMode::all_bank;
  banks.refresh(all ? Command::refresh : Command::refresh_same_bank, rank * banks_per_rank_ + turn,
                edge_);
  ++statistics_.refreshes;
  bus_.refreshed(rank, turn, edge_);
  energy_.refreshed(rank, edge_);
  record(all ? ChannelCommand::refresh : ChannelCommand::refresh_same_bank, rank, all ? -1 : turn,
         -1, -1);
  refresh_.refreshed(rank, edge_);
  latency_.refreshed(rank, turn, edge_, refresh_);
  if (power_.active()) {
    power_.refreshed(rank);
  }
}

void Channel::take_step(const RefreshStep& step) {
  on_banks([&](auto& banks) {
    if (step.bank >= 0) {
      precharge_for_refresh(banks, step.bank, step.rank);
    } else {
      issue_refresh(banks, step.rank);
    }
  });
}

void Channel::refresh() {
  if (command_bus_taken_) {
    return;
  }
  const RefreshStep step = refresh_.step(edge_);
  if (step.present()) {
    take_step(step);
  }
}

// On the edge of a refresh: puts it off, with all that follow, if nothing is held but by the
// NVDIMM, asked for or answered.
bool Channel::rest() {
  if (pending_[0] != 0 || settled_[0] != 0 || pending_[1] != settled_[1] ||
      phases_ != Phases::plain || banks_.next() != kNeverCycle || !finishes_.empty() ||
      endpoint_.has_ack() || endpoint_.active() || queues_[0].may_admit() ||
      queues_[1].may_admit()) {
    return false;
  }
  return put_off(edge_);
}

// All commands of the rank's refresh, one after the other, as far as each is legal by then and they
// come before `end`; but at least what this edge has. Nobody sees them.
template <class Banks>
HMSIM_INLINE void Channel::refresh_rank(Banks& banks, int rank, Cycle end) {
  const Cycle begin = edge_;
  Cycle edge = begin;
  std::uint64_t open = refresh_.open_banks(rank);
  for (; open != 0; open &= open - 1) {
    const std::int32_t bank = rank * banks_per_rank_ + __builtin_ctzll(open);
    if (edge == end || !banks.may_precharge(bank, edge)) {
      break;
    }
    banks.precharge(bank, edge);
    ++edge;
  }
  if (const std::int64_t precharges = (edge - begin).value(); precharges > 0) {
    edge_ = edge - Cycle(1);
    command_bus_taken_ = true;
    statistics_.command_cycles += static_cast<Counter>(precharges);
    statistics_.precharges += static_cast<Counter>(precharges);
    bus_.refresh_prepared(rank, refresh_.turn(rank), begin);
    energy_.precharged(rank, static_cast<int>(precharges), edge_);
  }
  if (open == 0 && (edge = later(edge, refresh_.gate(rank))) < end) {
    edge_ = edge;
    issue_refresh(banks, rank);
  } else if (command_bus_taken_) {
    refresh_.prepare(rank, edge_);
  } else {
    refresh();
  }
}

template <class Banks>
[[gnu::flatten]] void Channel::refresh_at_rest(Banks& banks, Cycle end) {
  Cycle next = put_off_;
  put_off_ = kNeverCycle;
  while (next < end) {
    edge_ = next;
    command_bus_taken_ = false;
    const Cycle limit = earlier(end, refresh_.then_pressing());
    if (refresh_.pressing(edge_) && edge_ < limit) {
      refresh_rank(banks, refresh_.first_pressing(), limit);
    } else {
      refresh();
    }
    const Cycle soonest = edge_ + Cycle(1);
    next = later(soonest, refresh_.next(soonest));
    calm_until_ = refresh_.pressing(soonest) ? Cycle(0) : next;
  }
  now_ = time_of(edge_);
  wake_at(next);
}

// Makes the refreshes that were put off on edges before `end`, and puts off none any longer.
void Channel::rouse(Cycle end) {
  if (put_off_ >= end) {
    wake_at(std::exchange(put_off_, kNeverCycle));
    return;
  }
  if (native_ != nullptr) {
    LoneBanks banks(*native_);
    refresh_at_rest(banks, end);
  } else {
    refresh_at_rest(banks_, end);
  }
}

void Channel::rouse_for_ack(std::uint32_t tag, Tick now) {
  rouse(edge_from(now));
  on_ack(tag, now);
}

Tick Channel::catch_up(Tick time) {
  if (!at_rest()) {
    return Tick(-1);
  }
  rouse(Cycle((time.value() + period_.value() - 1) / period_.value()));
  return now_;
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

}  // namespace hmsim
