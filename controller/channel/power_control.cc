// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/power_control.h"

namespace hmsim {

namespace {

Cycle cycles(Tick time, Tick period) {
  return Cycle((time.value() + period.value() - 1) / period.value());
}

}  // namespace

PowerControl::PowerControl(const DramParameters& dram, const TimingModel& model, DramBanks& banks,
                           RefreshControl& refresh)
    : power_down_(dram.power_down == PowerDown::fast),
      self_refresh_(dram.self_refresh),
      power_down_idle_(cycles(dram.power_down_idle, dram.clock_period())),
      self_refresh_idle_(cycles(dram.self_refresh_idle, dram.clock_period())),
      self_refresh_exit_(dram.timing.txs),
      banks_per_rank_(static_cast<int>(dram.organisation.banks)),
      all_banks_(~std::uint64_t{0} >> (64 - dram.organisation.banks)),
      model_(model),
      banks_(banks),
      refresh_(refresh),
      ranks_(static_cast<std::size_t>(dram.ranks)) {}

bool PowerControl::count_waiting(int rank, std::int64_t change, Cycle edge) {
  Rank& state = at(rank);
  state.waiting += change;
  if (state.waiting == 0) {
    state.idle_from = edge;
  }
  return state.waiting == later(change, std::int64_t{0});
}

PowerControl::State PowerControl::wanted(int rank, Cycle edge) const {
  const Rank& state = ranks_[static_cast<std::size_t>(rank)];
  if (state.waiting > 0 || refresh_.urgent(rank, edge)) {
    return State::awake;
  }
  if (self_refresh_ && state.refreshed && edge >= state.idle_from + self_refresh_idle_) {
    return State::self_refresh;
  }
  return power_down_ && edge >= state.idle_from + power_down_idle_ ? State::power_down
                                                                   : State::awake;
}

// Returns the command from the rank's state towards the wanted one; between two sleep modes it
// wakes up first.
Command PowerControl::command(const Rank& rank, State wanted) const {
  switch (rank.state) {
    case State::power_down:
      return Command::power_down_exit;
    case State::self_refresh:
      return Command::self_refresh_exit;
    case State::awake:
      break;
  }
  return wanted == State::power_down ? Command::power_down_enter : Command::self_refresh_enter;
}

PowerStep PowerControl::step(int rank, Cycle edge, State wanted) const {
  const Rank& state = ranks_[static_cast<std::size_t>(rank)];
  bool open = false;
  if (state.state == State::awake) {
    const std::int32_t first = rank * banks_per_rank_;
    for (std::int32_t bank = first; bank < first + banks_per_rank_; ++bank) {
      if (banks_.open_row(bank) != kNoRow) {
        open = true;
        if (model_.earliest(Command::precharge, bank) <= edge) {
          return {rank, bank, Command::precharge};
        }
      }
    }
  }
  const Command next = command(state, wanted);
  return !open && model_.rank_gate(next, rank) <= edge ? PowerStep{rank, -1, next} : PowerStep{};
}

// Returns the first edge on which step() has a step for the rank.
Cycle PowerControl::step_from(int rank, State wanted) const {
  const Rank& state = ranks_[static_cast<std::size_t>(rank)];
  Cycle from = kNeverCycle;
  if (state.state == State::awake) {
    const std::int32_t first = rank * banks_per_rank_;
    for (std::int32_t bank = first; bank < first + banks_per_rank_; ++bank) {
      if (banks_.open_row(bank) != kNoRow) {
        from = earlier(from, model_.earliest(Command::precharge, bank));
      }
    }
  }
  return from == kNeverCycle ? model_.rank_gate(command(state, wanted), rank) : from;
}

PowerStep PowerControl::wake_step(Cycle edge) const {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (ranks_[static_cast<std::size_t>(rank)].state != State::awake &&
        wanted(rank, edge) == State::awake) {
      const PowerStep found = step(rank, edge, State::awake);
      if (found.present()) {
        return found;
      }
    }
  }
  return {};
}

PowerStep PowerControl::sleep_step(Cycle edge) const {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const State to = wanted(rank, edge);
    if (to != State::awake && to != ranks_[static_cast<std::size_t>(rank)].state) {
      const PowerStep found = step(rank, edge, to);
      if (found.present()) {
        return found;
      }
    }
  }
  return {};
}

void PowerControl::done(const PowerStep& step, Cycle edge) {
  Rank& state = at(step.rank);
  if (state.state == State::awake) {
    const bool deep = step.command == Command::self_refresh_enter;
    state.state = deep ? State::self_refresh : State::power_down;
    refresh_.sleep(step.rank, deep);
    banks_.block(step.rank, all_banks_, DramBanks::Cause::sleep, edge);
    return;
  }
  if (state.state == State::self_refresh) {
    state.refreshed = false;
    refresh_.wake_from_self_refresh(step.rank, edge, self_refresh_exit_);
  } else {
    refresh_.wake(step.rank);
  }
  state.state = State::awake;
  banks_.unblock(step.rank, all_banks_, DramBanks::Cause::sleep, edge);
}

Cycle PowerControl::next(Cycle soonest) const {
  Cycle next = kNeverCycle;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    const State to = wanted(rank, soonest);
    if (to != state.state) {
      next = earlier(next, later(soonest, step_from(rank, to)));
    }
    if (state.waiting > 0) {
      continue;
    }
    const Cycle power_down = state.idle_from + power_down_idle_;
    if (power_down_ && state.state == State::awake && soonest < power_down) {
      next = earlier(next, later(power_down, step_from(rank, State::power_down)));
    }
    const Cycle self_refresh = state.idle_from + self_refresh_idle_;
    if (self_refresh_ && state.state != State::self_refresh && soonest < self_refresh) {
      next = earlier(next, later(self_refresh, step_from(rank, State::self_refresh)));
    }
  }
  return next;
}

}  // namespace hmsim
