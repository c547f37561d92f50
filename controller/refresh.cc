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

}  // namespace

RefreshControl::RefreshControl(const DramParameters& dram, const TimingModel& model,
                               DramBanks& banks)
    : model_(model),
      banks_(banks),
      interval_(dram.timing.trefi),
      behind_(dram.timing.trefi * dram.refresh_postpone),
      ahead_(dram.timing.trefi * dram.refresh_pull_in),
      longest_(dram.timing.trefi * (traits_of(dram.family).most_moved_refreshes + 1) -
               time_to_close(dram)),
      elastic_(dram.refresh && dram.refresh_postpone + dram.refresh_pull_in > 0),
      ranks_(static_cast<std::size_t>(dram.ranks)) {
  if (!dram.refresh) {
    return;
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Cycle due(dram.timing.trefi * static_cast<std::int64_t>(rank + 1) / dram.ranks);
    ranks_[rank].due = due;
    ranks_[rank].pressing = earlier(due + behind_, longest_);
    next_pressing_ = earlier(next_pressing_, ranks_[rank].pressing);
  }
}

RefreshStep RefreshControl::step(Cycle edge) {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (edge >= ranks_[static_cast<std::size_t>(rank)].pressing) {
      banks_.block(rank, true);
      const RefreshStep step = step_of(rank, edge);
      if (step.present()) {
        return step;
      }
    }
  }
  return {};
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
  if (banks_.any_open(rank)) {
    const std::int32_t bank = banks_.closable(rank, edge);
    return bank >= 0 ? RefreshStep{rank, bank} : RefreshStep{};
  }
  return model_.rank_gate(Command::refresh, rank) <= edge ? RefreshStep{rank, -1} : RefreshStep{};
}

void RefreshControl::refreshed(int rank, Cycle edge) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  if (edge >= state.pressing) {
    banks_.block(rank, false);
  }
  state.due += interval_;
  state.pressing = earlier(state.due + behind_, edge + longest_);
  next_pressing_ = kNeverCycle;
  for (const Rank& each : ranks_) {
    next_pressing_ = earlier(next_pressing_, each.pressing);
  }
}

Cycle RefreshControl::look_ahead(Cycle soonest) const {
  Cycle next = kNeverCycle;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Cycle from = wanted_from(ranks_[static_cast<std::size_t>(rank)]);
    if (soonest < from) {
      next = earlier(next, from);
    } else {
      next = earlier(next,
                     later(from, banks_.any_open(rank) ? banks_.next_closable(rank)
                                                       : model_.rank_gate(Command::refresh, rank)));
    }
  }
  return next;
}

}  // namespace hmsim
