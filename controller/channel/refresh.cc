// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/refresh.h"

#include <algorithm>
#include <utility>

#include "dram/standard.h"

namespace hmsim {

namespace {

// Returns an upper bound of the cycles until all banks of the channel are closed: each takes a slot
// of the command bus for its precharge, and one for another command.
std::int64_t time_to_close(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  return timing.trc + timing.cl + timing.cwl + timing.line() + timing.twr + timing.trp +
         (2 + dram.activate_delay()) * dram.command_slots() * dram.ranks * dram.organisation.banks;
}

// Returns a mask with every `distance`-th of `banks` bits set.
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
    : RefreshSchedule(dram),
      model_(model),
      banks_(banks),
      banks_per_rank_(static_cast<int>(dram.organisation.banks)),
      each_turn_(every(turns_, dram.organisation.banks)),
      all_banks_(every(1, dram.organisation.banks)),
      command_(dram.refresh_mode == RefreshMode::same_bank ? Command::refresh_same_bank
                                                           : Command::refresh),
      postpone_limit_(dram.refresh_interval() * dram.refresh_postpone),
      pull_in_limit_(dram.refresh_interval() * dram.refresh_pull_in),
      longest_(dram.refresh_interval() * (dram.standard->max_moved_refreshes + 1) -
               time_to_close(dram)),
      duration_(dram.refresh_time()),
      patience_(time_to_close(dram)),
      elastic_(dram.refresh && dram.refresh_postpone + dram.refresh_pull_in > 0),
      regular_(dram.refresh_management ? ranks_.size() : 0, kNeverCycle),
      free_from_(static_cast<std::size_t>(dram.ranks * turns_)) {
  if (!dram.refresh) {
    return;
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Cycle due(interval_.value() * static_cast<std::int64_t>(rank + 1) / dram.ranks);
    ranks_[rank].due = due;
    ranks_[rank].urgent = earlier(due + postpone_limit_, longest_);
  }
  find_next_urgent();
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

void RefreshControl::want(int rank, Cycle from) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  if (from < state.urgent) {
    Cycle& regular = regular_[static_cast<std::size_t>(rank)];
    regular = regular == kNeverCycle ? state.urgent : regular;
    state.urgent = from;
    find_next_urgent();
  }
}

void RefreshControl::managed(int rank, Cycle edge) {
  unblock(rank, edge);
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  const Cycle end = edge + duration_;
  free_from_[place_of_turn(rank, state.turn)] = end;
  last_free_ = later(last_free_, end);
  state.urgent = std::exchange(regular_[static_cast<std::size_t>(rank)], kNeverCycle);
  find_next_urgent();
}

bool RefreshControl::periodic() const {
  if (elastic_ || duration_ >= interval_ || longest_ < interval_ || blocked_ranks_ > 0) {
    return false;
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (banks_.open_banks(rank) != 0 || state.asleep || state.urgent != state.due ||
        state.urgent >= next_urgent_ + interval_) {
      return false;
    }
    for (int turn = 0; turn < turns_; ++turn) {
      if (model_.earliest(command_, rank * banks_per_rank_ + turn) > state.urgent) {
        return false;
      }
    }
  }
  return second_urgent_ > next_urgent_;
}

std::int64_t RefreshControl::skippable_rounds(Cycle end) const {
  Cycle last = next_urgent_;
  for (const Rank& rank : ranks_) {
    last = later(last, rank.urgent);
  }
  if (last >= end) {
    return 0;
  }
  const std::int64_t refreshes = ((end - last).value() - 1) / interval_.value() + 1;
  return later(refreshes / turns_ - 1, std::int64_t{0});
}

void RefreshControl::skip_rounds(std::int64_t rounds) {
  const Cycle time = interval_ * (rounds * turns_);
  for (Rank& rank : ranks_) {
    rank.due += time;
    rank.urgent += time;
  }
  find_next_urgent();
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

void RefreshControl::sleep(int rank, bool self_refresh) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  state.asleep = true;
  if (self_refresh) {
    state.due = state.urgent = kNeverCycle;
    find_next_urgent();
  }
}

void RefreshControl::wake_from_self_refresh(int rank, Cycle edge, Cycle time) {
  wake(rank);
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  free_from_[place_of_turn(rank, state.turn)] = edge + time;
  last_free_ = later(last_free_, edge + time);
  state.due = edge + interval_;
  state.urgent = earlier(state.due + postpone_limit_, edge + longest_);
  find_next_urgent();
}

void RefreshControl::serialize(Archive& archive) {
  archive.fixed(ranks_, free_from_);
  archive(last_free_);
  if (!regular_.empty()) {
    archive.fixed(regular_);
  }
  for (const Rank& rank : ranks_) {
    archive.check_index(rank.turn, static_cast<std::size_t>(turns_), "invalid turn of a refresh");
  }
  if (archive.loading()) {
    blocked_ranks_ = static_cast<int>(
        std::count_if(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.blocked; }));
    find_next_urgent();
  }
}

}  // namespace hmsim
