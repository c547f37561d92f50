// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a channel sleep: precharge power-down and self-refresh.
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

// The next command towards a rank's sleep, or out of it.
struct PowerStep {
  int rank = -1;           // -1: there is none
  std::int32_t bank = -1;  // to be precharged; -1: `command` itself
  Command command = Command::precharge;
  bool present() const { return rank >= 0; }
};

// A rank that no request waits for goes to sleep after the times that the parameters give: it
// closes its rows and powers down, and goes on to self-refresh. A waiting request wakes it up, and
// so does a refresh that can wait no longer; in self-refresh none is due. Self-refresh is entered
// again only after a refresh (JESD79-3F section 4.16).
class PowerControl {
 public:
  PowerControl(const DramParameters& dram, const TimingModel& model, DramBanks& banks,
               RefreshControl& refresh);

  // Ranks may sleep; else nothing below need be called.
  bool active() const { return power_down_ || self_refresh_; }

  void count_waiting(int rank, std::int64_t change, Cycle edge);
  void refreshed(int rank) { at(rank).refreshed = true; }

  // The legal step, if any, of a rank that is wanted; or of one that is not.
  PowerStep wake_step(Cycle edge) const;
  PowerStep sleep_step(Cycle edge) const;
  // Its command was issued.
  void done(const PowerStep& step, Cycle edge);

  // No step becomes legal before, unless commands are issued, requests come or go, or a refresh
  // becomes urgent. `soonest` is the next edge.
  Cycle next(Cycle soonest) const;

  // Loading: nobody waits then; restore() is to be called for each that does.
  void serialize(Archive& archive) { archive.fixed(ranks_); }
  void restore(int rank) { ++at(rank).waiting; }

 private:
  enum class State : std::uint8_t { awake, power_down, self_refresh, last = self_refresh };

  struct Rank {
    State state = State::awake;
    std::int64_t waiting = 0;
    Cycle idle_from{0};     // since then no request has waited
    bool refreshed = true;  // since self-refresh was left
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
  const std::uint64_t all_banks_;  // of a rank, a bit each
  const TimingModel& model_;
  DramBanks& banks_;
  RefreshControl& refresh_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
