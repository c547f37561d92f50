// SPDX-License-Identifier: BSD-3-Clause
// Refreshes of the ranks of a channel.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/layout/refresh_schedule.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

// Next command that a rank's refresh needs: a precharge of a bank, or the refresh itself.
struct RefreshStep {
  int rank = -1;           // -1: no step
  std::int32_t bank = -1;  // bank to precharge; -1: the refresh itself
  bool present() const { return rank >= 0; }
};

// Schedules refreshes. Every rank needs one refresh in each refresh interval: of all its banks, or
// of the banks with one number in each bank group, by turns. A refresh may be postponed while
// requests wait for the rank, and pulled in while none does, up to the parameters' limits.
// Standards: JESD79-3F section 4.13 and JESD79-4B section 4.26 allow 8 each and at most 9 tREFI
// between two; DDR5 allows 4 and 5.
class RefreshControl final : public RefreshSchedule {
 public:
  RefreshControl(const DramParameters& dram, const TimingModel& model, DramBanks& banks);

  // Returns whether refreshes may be postponed or pulled in, so that waiting requests must be
  // counted. count_waiting() returns whether the rank has become idle or busy.
  bool elastic() const { return elastic_; }
  bool count_waiting(int rank, std::int64_t change) {
    const std::int64_t waiting = ranks_[static_cast<std::size_t>(rank)].waiting += change;
    return waiting == later(change, std::int64_t{0});
  }

  // Returns whether the refresh of any rank is urgent. The banks of an urgent refresh take no other
  // command before it.
  bool urgent(Cycle edge) const { return edge >= next_urgent_; }
  // step() returns the legal step of an urgent rank, if there is one; precondition: a rank is
  // urgent. idle_step() returns the legal step of a rank without waiting requests.
  RefreshStep step(Cycle edge);
  RefreshStep idle_step(Cycle edge) const;

  // Returns whether, without other events, every rank is refreshed exactly when it becomes urgent,
  // once in each interval: all banks are closed, and the timing rules allow each refresh by then.
  bool periodic() const;
  // Returns how many rounds can be skipped so that at least one more complete round lies before
  // `end`. A round refreshes every bank of the channel once. Precondition: periodic().
  std::int64_t skippable_rounds(Cycle end) const;
  // Advances all ranks as if `rounds` rounds, at least one, had been made. The timing rules and
  // free_from_ keep their state, so the caller must then issue a complete round one by one.
  void skip_rounds(std::int64_t rounds);

  // The first rank to become urgent, its edge, and the edge of the next one.
  int first_urgent() const { return first_urgent_; }
  Cycle next_urgent() const { return next_urgent_; }
  Cycle second_urgent() const { return second_urgent_; }
  // open_banks() returns the open banks, one bit each, that the rank's next refresh requires to be
  // closed. gate() returns the edge from which the refresh is legal once they are closed.
  std::uint64_t open_banks(int rank) const {
    return banks_.open_banks(rank) & (each_turn_ << turn(rank));
  }
  Cycle gate(int rank) const;
  // Blocks the banks of the rank's next refresh from other commands. If the refresh is late, blocks
  // the whole rank: a same-bank refresh needs tRRD_L after each activate of the rank, so activates
  // of other banks, tRRD_S apart, could otherwise delay it for ever.
  void prepare(int rank, Cycle edge) {
    if (!ranks_[static_cast<std::size_t>(rank)].blocked) {
      block(rank, edge);
    } else if (late(rank, edge)) {
      banks_.block(rank, all_banks_, DramBanks::Cause::refresh, edge);
    }
  }

  // Records that the rank's refresh was issued.
  void refreshed(int rank, Cycle edge);

  // Refresh management. want() makes an extra refresh of the rank urgent at `from`, unless the next
  // one is urgent before. wants() returns whether the rank's next refresh is an extra one.
  // managed() records that it was issued.
  void want(int rank, Cycle from);
  bool wants(int rank, Cycle edge) const {
    return !regular_.empty() && edge < regular_[static_cast<std::size_t>(rank)] &&
           regular_[static_cast<std::size_t>(rank)] != kNeverCycle;
  }
  void managed(int rank, Cycle edge);

  // A sleeping rank gets no refresh, so an urgent refresh must wake it. A rank in self-refresh
  // refreshes itself, so none becomes urgent; after self-refresh, none is legal for `time`.
  bool urgent(int rank, Cycle edge) const {
    return edge >= ranks_[static_cast<std::size_t>(rank)].urgent;
  }
  void sleep(int rank, bool self_refresh);
  void wake(int rank) { ranks_[static_cast<std::size_t>(rank)].asleep = false; }
  void wake_from_self_refresh(int rank, Cycle edge, Cycle time);

  bool busy(std::size_t place, Cycle edge) const { return edge < free_from_[place]; }
  bool busy(Cycle edge) const { return blocked_ranks_ > 0 || edge < last_free_; }
  // Returns when the next place under refresh at `edge` becomes free.
  Cycle next_free(Cycle edge) const;

  // Returns an edge before which no step becomes legal, unless commands are issued or requests
  // arrive or leave. `soonest`: the next edge.
  Cycle next(Cycle soonest) {
    return soonest < next_urgent_ && !elastic_ ? next_urgent_ : look_ahead(soonest);
  }

  // After loading, nothing waits; call count_waiting() for each waiting transaction.
  void serialize(Archive& archive);

 private:
  // A rank's next step, and the edge from which it is legal.
  struct Plan {
    RefreshStep step;
    Cycle at = kNeverCycle;
  };

  Cycle wanted_from(const Rank& rank) const {
    return rank.waiting == 0 && !rank.asleep ? earlier(rank.due - pull_in_limit_, rank.urgent)
                                             : rank.urgent;
  }
  RefreshStep step_of(int rank, Cycle edge) const;
  RefreshStep urgent_step(int rank, Cycle edge);
  // Plans the open bank that can be precharged first; ties go to the lowest number.
  Plan plan(int rank, Cycle from) const;
  void block(int rank, Cycle edge);
  void unblock(int rank, Cycle edge);
  // Returns whether the rank's refresh has been urgent for longer than closing its banks takes.
  bool late(int rank, Cycle edge) const {
    return edge >= ranks_[static_cast<std::size_t>(rank)].urgent + patience_;
  }
  void find_next_urgent();
  Cycle look_ahead(Cycle soonest);
  std::int32_t first_bank(int rank) const { return rank * banks_per_rank_ + turn(rank); }

  const TimingModel& model_;
  DramBanks& banks_;
  const int banks_per_rank_;
  const std::uint64_t each_turn_;  // every turns_-th bank of a rank
  const std::uint64_t all_banks_;  // of a rank
  const Command command_;
  const Cycle postpone_limit_;  // a refresh may be this much later
  const Cycle pull_in_limit_;   // a refresh may be this much earlier
  const Cycle longest_;         // from a refresh to the urgency of the next
  const Cycle duration_;
  const Cycle patience_;  // from urgent to late
  const bool elastic_;
  Cycle next_urgent_ = kNeverCycle;    // the first urgent edge
  int first_urgent_ = 0;               // its rank
  Cycle second_urgent_ = kNeverCycle;  // the first urgent edge of the other ranks
  // Plan of an urgent rank from the latest look_ahead(), valid until the next command. step.rank is
  // -1 if there is none.
  Plan planned_;
  // With refresh management: when the rank's next regular refresh is urgent, if an extra one is
  // wanted before; otherwise kNeverCycle.
  std::vector<Cycle> regular_;
  std::vector<Cycle> free_from_;  // by place; kNeverCycle: refresh pending
  Cycle last_free_{0};            // the latest known entry of free_from_
  int blocked_ranks_ = 0;
};

// Functions needed by every refresh, inlined into the loops over edges.

inline RefreshStep RefreshControl::step(Cycle edge) {
  if (edge < second_urgent_) {
    return urgent_step(first_urgent_, edge);
  }
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (edge >= ranks_[static_cast<std::size_t>(rank)].urgent) {
      const RefreshStep step = urgent_step(rank, edge);
      if (step.present()) {
        return step;
      }
    }
  }
  return {};
}

// A refresh that is legal now need not block its banks. Exception: same-bank refreshes, which the
// rank's rules do not cover.
inline RefreshStep RefreshControl::urgent_step(int rank, Cycle edge) {
  const bool planned = planned_.step.rank == rank && planned_.at == edge;
  const RefreshStep step = planned ? planned_.step : step_of(rank, edge);
  planned_.step.rank = -1;
  if (step.rank < 0 || step.bank >= 0 || command_ != Command::refresh) {
    prepare(rank, edge);
  }
  return step;
}

inline RefreshStep RefreshControl::step_of(int rank, Cycle edge) const {
  const Plan next = plan(rank, edge);
  return next.at == edge ? next.step : RefreshStep{};
}

inline RefreshControl::Plan RefreshControl::plan(int rank, Cycle from) const {
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

// Returns when the refresh is legal, once its banks are closed.
inline Cycle RefreshControl::gate(int rank) const {
  return command_ == Command::refresh ? model_.rank_gate(command_, rank)
                                      : model_.earliest(command_, first_bank(rank));
}

// Blocks the banks of the rank's next refresh from other commands.
inline void RefreshControl::block(int rank, Cycle edge) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  state.blocked = true;
  banks_.block(rank, each_turn_ << state.turn, DramBanks::Cause::refresh, edge);
  free_from_[place_of_turn(rank, state.turn)] = kNeverCycle;
  ++blocked_ranks_;
}

inline void RefreshControl::unblock(int rank, Cycle edge) {
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  if (state.blocked) {
    state.blocked = false;
    --blocked_ranks_;
    banks_.unblock(rank, late(rank, edge) ? all_banks_ : each_turn_ << state.turn,
                   DramBanks::Cause::refresh, edge);
  }
}

inline void RefreshControl::refreshed(int rank, Cycle edge) {
  unblock(rank, edge);
  Rank& state = ranks_[static_cast<std::size_t>(rank)];
  const Cycle end = edge + duration_;
  free_from_[place_of_turn(rank, state.turn)] = end;
  last_free_ = later(last_free_, end);
  state.turn = state.turn + 1 == turns_ ? 0 : state.turn + 1;
  state.due += interval_;
  state.urgent = earlier(state.due + postpone_limit_, edge + longest_);
  if (!regular_.empty()) {
    regular_[static_cast<std::size_t>(rank)] = kNeverCycle;
  }
  find_next_urgent();
}

inline void RefreshControl::find_next_urgent() {
  planned_.step.rank = -1;
  Cycle next = kNeverCycle;
  Cycle then = kNeverCycle;
  int first = 0;
  int number = 0;
  for (const Rank& rank : ranks_) {
    then = earlier(then, later(next, rank.urgent));
    if (rank.urgent < next) {
      next = rank.urgent;
      first = number;
    }
    ++number;
  }
  next_urgent_ = next;
  second_urgent_ = then;
  first_urgent_ = first;
}

inline Cycle RefreshControl::look_ahead(Cycle soonest) {
  if (!elastic_ && soonest < second_urgent_) {
    planned_ = plan(first_urgent_, soonest);
    return earlier(planned_.at, second_urgent_);
  }
  Cycle next = kNeverCycle;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    const Cycle from = elastic_ ? wanted_from(state) : state.urgent;
    next = earlier(next, soonest < from ? from : plan(rank, soonest).at);
  }
  return next;
}

}  // namespace hmsim
