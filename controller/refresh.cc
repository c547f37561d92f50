// SPDX-License-Identifier: BSD-3-Clause
#include "controller/refresh.h"

#include "dram/families.h"

namespace hmsim {

namespace {

// Cycles within which all banks of the channel can be precharged and the precharges have passed,
// with as many other commands between.
std::int64_t time_to_close(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  return timing.trc + timing.cl + timing.cwl + timing.burst + timing.twr + timing.trp +
         2 * dram.ranks * dram.organisation.banks;
}

// Of so many banks a bit in every `distance`.
std::uint64_t every(int distance, std::int64_t banks) {
  std::uint64_t bits = 0;
  for (int bit = 0; bit < banks; bit += distance) {
    bits |= std::uint64_t{1} << bit;
  }
  return bits;
}

}  // namespace

RefreshControl::RefreshControl(const DramParameters& dram, const TimingModel& model,
                               DramBanks& banks)
    : model_(model),
      banks_(banks),
      banks_per_rank_(static_cast<int>(dram.organisation.banks)),
      turns_(static_cast<int>(dram.refreshes_per_round())),
      each_turn_(every(turns_, dram.organisation.banks)),
      command_(dram.refresh_mode == RefreshMode::same_bank ? Command::refresh_same_bank
                                                           : Command::refresh),
      interval_(dram.refresh_interval()),
      behind_(dram.refresh_interval() * dram.refresh_postpone),
      ahead_(dram.refresh_interval() * dram.refresh_pull_in),
      longest_(dram.refresh_interval() * (traits_of(dram.family).most_moved_refreshes + 1) -
               time_to_close(dram)),
      duration_(command_ == Command::refresh ? dram.timing.trfc : dram.timing.trfcsb),
      elastic_(dram.refresh && dram.refresh_postpone + dram.refresh_pull_in > 0),
      ranks_(static_cast<std::size_t>(dram.ranks)),
      free_from_(static_cast<std::size_t>(dram.ranks * turns_)) {
  if (!dram.refresh) {
    return;
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Cycle due(interval_.value() * static_cast<std::int64_t>(rank + 1) / dram.ranks);
    ranks_[rank].due = due;
    ranks_[rank].pressing = earlier(due + behind_, longest_);
  }
  find_next_pressing();
}

RefreshStep RefreshControl::step(Cycle edge) {
  if (edge < then_pressing_) {
    return edge < next_pressing_ ? RefreshStep{} : pressing_step(first_pressing_, edge);
  }
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (edge >= ranks_[static_cast<std::size_t>(rank)].pressing) {
      const RefreshStep step = pressing_step(rank, edge);
      if (step.present()) {
        return step;
      }
    }
  }
  return {};
}

// A refresh that is legal at once needs to keep nothing from its banks, unless these do not know
// of it by the rules of their rank.
inline RefreshStep RefreshControl::pressing_step(int rank, Cycle edge) {
  const bool planned = planned_.step.rank == rank && planned_.at == edge;
  const RefreshStep step = planned ? planned_.step : step_of(rank, edge);
  planned_.step.rank = -1;
  if (!ranks_[static_cast<std::size_t>(rank)].blocked &&
      (step.rank < 0 || step.bank >= 0 || command_ != Command::refresh)) {
    block(rank, edge);
  }
  return step;
}

RefreshStep RefreshControl::idle_step(Cycle edge) const {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (state.waiting == 0 && edge >= wanted_from(state)) {
      const RefreshStep step = step_of(rank, edge);
      if (step.present()) {
        return step;
      }
    }
  }
  return {};
}

RefreshStep RefreshControl::step_of(int rank, Cycle edge) const {
  const Plan next = plan(rank, edge);
  return next.at == edge ? next.step : RefreshStep{};
}

RefreshControl::Plan RefreshControl::plan(int rank, Cycle from) const {
  if (ranks_[static_cast<std::size_t>(rank)].asleep) {
    return {};
  }
  const std::uint64_t open = open_banks(rank);
  if (open == 0) {
    return {{rank, -1}, later(from, gate(rank))};
  }
  Plan plan;
  for (std::uint64_t banks = open; banks != 0; banks &= banks - 1) {
    const std::int32_t bank = rank * banks_per_rank_ + __builtin_ctzll(banks);
    const Cycle at = model_.earliest(Command::precharge, bank);
    if (at <= from) {
      return {{rank, bank}, from};
    }
    if (at < plan.at) {
      plan = {{rank, bank}, at};
    }
  }
  return plan;
}

// Of the refresh, once its banks are closed.
Cycle RefreshControl::gate(int rank) const {
  return command_ == Command::refresh ? model_.rank_gate(command_, rank)
                                      : model_.earliest(command_, first_bank(rank));
}

// What is to be refreshed takes no other command before.
void RefreshControl::block(int rank, Cycle edge) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  state.blocked = true;
  banks_.block(rank, each_turn_ << state.turn, DramBanks::Cause::refresh, edge);
  free_from_[place(rank, state.turn)] = kNeverCycle;
  ++blocked_ranks_;
}

void RefreshControl::unblock(int rank, Cycle edge) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  if (state.blocked) {
    state.blocked = false;
    --blocked_ranks_;
    banks_.unblock(rank, each_turn_ << state.turn, DramBanks::Cause::refresh, edge);
  }
}

Cycle RefreshControl::next_free(Cycle edge) const {
  Cycle next = kNeverCycle;
  if (busy(edge)) {
    for (const Cycle each : free_from_) {
      next = each > edge ? earlier(next, each) : next;
    }
  }
  return next;
}

void RefreshControl::refreshed(int rank, Cycle edge) {
  unblock(rank, edge);
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  free_from_[place(rank, state.turn)] = edge + duration_;
  last_free_ = later(last_free_, edge + duration_);
  state.turn = state.turn + 1 == turns_ ? 0 : state.turn + 1;
  state.due += interval_;
  state.pressing = earlier(state.due + behind_, edge + longest_);
  find_next_pressing();
}

void RefreshControl::find_next_pressing() {
  planned_.step.rank = -1;
  next_pressing_ = then_pressing_ = kNeverCycle;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Cycle each = ranks_[static_cast<std::size_t>(rank)].pressing;
    if (each < next_pressing_) {
      then_pressing_ = next_pressing_;
      next_pressing_ = each;
      first_pressing_ = rank;
    } else {
      then_pressing_ = earlier(then_pressing_, each);
    }
  }
}

void RefreshControl::sleep(int rank, bool self_refresh) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  state.asleep = true;
  if (self_refresh) {
    state.due = state.pressing = kNeverCycle;
    find_next_pressing();
  }
}

void RefreshControl::wake_from_self_refresh(int rank, Cycle edge, Cycle time) {
  wake(rank);
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  free_from_[place(rank, state.turn)] = edge + time;
  last_free_ = later(last_free_, edge + time);
  state.due = edge + interval_;
  state.pressing = earlier(state.due + behind_, edge + longest_);
  find_next_pressing();
}

Cycle RefreshControl::look_ahead(Cycle soonest) {
  if (!elastic_ && soonest < then_pressing_) {
    planned_ = plan(first_pressing_, soonest);
    return earlier(planned_.at, then_pressing_);
  }
  Cycle next = kNeverCycle;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    const Cycle from = elastic_ ? wanted_from(state) : state.pressing;
    next = earlier(next, soonest < from ? from : plan(rank, soonest).at);
  }
  return next;
}

void RefreshControl::serialize(Archive& archive) {
  archive(ranks_, free_from_, last_free_, blocked_ranks_);
  if (archive.loading()) {
    find_next_pressing();
  }
}

}  // namespace hmsim
