// SPDX-License-Identifier: BSD-3-Clause
// Sleep modes of the ranks of a channel: precharge power-down and self-refresh.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/channel/refresh.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

// The next command of a rank into or out of a sleep mode.
struct PowerStep {
  int rank = -1;           // -1: no step
  std::int32_t bank = -1;  // bank to precharge; -1: issue `command` itself
  Command command = Command::precharge;
  bool present() const { return rank >= 0; }
};

// Puts a rank without waiting requests to sleep after the configured idle times: it closes the
// rank's rows, enters power-down, and later self-refresh. A waiting request or an urgent refresh
// wakes the rank; in self-refresh no refresh is due. Self-refresh is entered again only after a
// refresh (JESD79-3F section 4.16).
class PowerControl {
 public:
  PowerControl(const DramParameters& dram, const TimingModel& model, DramBanks& banks,
               RefreshControl& refresh);

  // Returns whether the configuration lets ranks sleep. If not, the caller may skip all functions
  // below.
  bool active() const { return power_down_ || self_refresh_; }

  // Returns whether the rank has become idle or busy.
  bool count_waiting(int rank, std::int64_t change, Cycle edge);
  void refreshed(int rank) { at(rank).refreshed = true; }

  // wake_step() returns a legal step that wakes a rank, sleep_step() one that puts a rank to sleep.
  // Both return a step that is not present() if no such step is legal.
  PowerStep wake_step(Cycle edge) const;
  PowerStep sleep_step(Cycle edge) const;
  // Applies a step whose command was issued.
  void done(const PowerStep& step, Cycle edge);

  // Before this edge no step becomes legal, unless commands are issued, requests arrive or leave,
  // or a refresh becomes urgent. `soonest` is the next edge.
  Cycle next(Cycle soonest) const;

  // After loading, nothing waits; call restore() for each waiting transaction.
  void serialize(Archive& archive) { archive.fixed(ranks_); }
  void restore(int rank) { ++at(rank).waiting; }

 private:
  enum class State : std::uint8_t { awake, power_down, self_refresh, last = self_refresh };

  struct Rank {
    State state = State::awake;
    std::int64_t waiting = 0;
    Cycle idle_from{0};     // since then no request has waited
    bool refreshed = true;  // since the last exit from self-refresh
    void serialize(Archive& archive) {
      archive(state, idle_from, refreshed);
      waiting = archive.loading() ? 0 : waiting;
    }
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  State wanted(int rank, Cycle edge) const;
  Command command(const Rank& rank, State wanted) const;
  PowerStep step(int rank, Cycle edge, State wanted) const;
  Cycle step_from(int rank, State wanted) const;

  const bool power_down_;
  const bool self_refresh_;
  const Cycle power_down_idle_;
  const Cycle self_refresh_idle_;
  const Cycle self_refresh_exit_;  // tXS
  const int banks_per_rank_;
  const std::uint64_t all_banks_;  // all banks of a rank, one bit each
  const TimingModel& model_;
  DramBanks& banks_;
  RefreshControl& refresh_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
