// SPDX-License-Identifier: BSD-3-Clause
// Energy of one channel's DRAM ranks, from their commands and the time spent in each state (Micron
// TN-41-01, "Calculating Memory System Power for DDR3"). Covers the devices only, without
// termination and VPP.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

// Energies in joules.
struct DramEnergy {
  double activate = 0;  // includes the precharge
  double read = 0;
  double write = 0;
  double refresh = 0;
  double active_standby = 0;
  double precharged_standby = 0;
  double power_down = 0;
  double self_refresh = 0;

  double background() const { return active_standby + precharged_standby; }
  double total() const {
    return activate + read + write + refresh + background() + power_down + self_refresh;
  }
  DramEnergy& operator+=(const DramEnergy& other);
};

// Counts commands and time in each state. Calls must come in order of cycles. A rank is active
// while a bank is open or a refresh is in progress.
class EnergyMeter {
 public:
  explicit EnergyMeter(const DramParameters& dram);

  void activated(int rank, Cycle now) {
    Rank& state = at(rank);
    ++state.activates;
    if (state.open++ == 0) {
      enter(state, State::active, now);
    }
  }
  // Records that `banks` banks were closed, the last of them at `now`.
  void precharged(int rank, int banks, Cycle now) {
    Rank& state = at(rank);
    if ((state.open -= banks) == 0) {
      enter(state, State::precharged, now);
    }
  }
  void accessed(int rank, bool write) {
    Rank& state = at(rank);
    ++state.accesses[write ? 1 : 0];
  }
  void refreshed(int rank, Cycle now) {
    Rank& state = at(rank);
    pass(state, now);
    ++state.refreshes;
    state.refreshed_until = now + refresh_time_;
  }
  // Counts `count` (at least 1) refreshes of a rank without open banks: the first at `first`, then
  // one every `interval`, which must not be shorter than a refresh.
  void refreshed_rounds(int rank, std::int64_t count, Cycle first, Cycle interval) {
    refreshed(rank, first);
    Rank& state = at(rank);
    const std::int64_t more = count - 1;
    state.refreshes += more;
    state.cycles[static_cast<std::size_t>(State::active)] += (refresh_time_ * more).value();
    state.cycles[static_cast<std::size_t>(state.state)] +=
        ((interval - refresh_time_) * more).value();
    state.since += interval * more;
    state.refreshed_until += interval * more;
  }
  void sleeps(int rank, bool self_refresh, Cycle now) {
    enter(at(rank), self_refresh ? State::self_refresh : State::power_down, now);
  }
  void wakes(int rank, Cycle now) { enter(at(rank), State::precharged, now); }

  int ranks() const { return static_cast<int>(ranks_.size()); }
  // Returns the energy since the last reset.
  DramEnergy energy(int rank, Cycle now) const;
  void reset(Cycle now);
  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  enum class State : std::uint8_t {
    precharged,
    active,
    power_down,
    self_refresh,
    last = self_refresh
  };

  struct alignas(128) Rank {
    std::int64_t activates = 0;
    std::array<std::int64_t, 2> accesses{};  // reads, writes
    std::int64_t refreshes = 0;
    std::array<std::int64_t, 4> cycles{};  // by State, up to `since`
    int open = 0;                          // banks
    State state = State::precharged;
    Cycle since{0};
    Cycle refreshed_until{0};
    void serialize(Archive& archive) {
      archive(activates, accesses, refreshes, cycles, open, state, since, refreshed_until);
    }
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  // Accounts for the cycles up to `now`.
  static void pass(Rank& rank, Cycle now) {
    const Cycle refreshed = earlier(rank.refreshed_until, now);
    if (refreshed > rank.since) {
      rank.cycles[static_cast<std::size_t>(State::active)] += (refreshed - rank.since).value();
      rank.since = refreshed;
    }
    rank.cycles[static_cast<std::size_t>(rank.state)] += (now - rank.since).value();
    rank.since = now;
  }
  static void enter(Rank& rank, State state, Cycle now) {
    pass(rank, now);
    rank.state = state;
  }

  // Joules per command; `standby_`: joules per cycle in each state.
  double activate_ = 0;
  double read_ = 0;
  double write_ = 0;
  double refresh_ = 0;
  std::array<double, 4> standby_{};
  Cycle refresh_time_;
  std::vector<Rank> ranks_;
};

// Returns errors for currents that would make an energy negative.
std::vector<ParameterError> power_errors(const DramParameters& dram);

}  // namespace hmsim
