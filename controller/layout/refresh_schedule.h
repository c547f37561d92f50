// SPDX-License-Identifier: BSD-3-Clause
// When each rank of a channel is refreshed next, and which of its banks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

class RefreshSchedule {
 public:
  int ranks() const { return static_cast<int>(ranks_.size()); }
  int turns() const { return turns_; }
  Cycle interval() const { return interval_; }

  // Returns the edge from which the rank's next refresh is urgent.
  Cycle urgent_from(int rank) const { return ranks_[static_cast<std::size_t>(rank)].urgent; }
  // Returns which bank of each group the rank's next refresh covers; 0 if it covers all banks.
  int turn(int rank) const { return ranks_[static_cast<std::size_t>(rank)].turn; }

  // place() numbers the banks that are refreshed together: rank x turns + turn. A place is busy
  // while an urgent refresh blocks it and while it is refreshed.
  std::size_t place(int rank, std::int32_t bank) const {
    return place_of_turn(rank, bank & (turns_ - 1));
  }
  // Returns the place of the banks that the rank refreshes in that turn.
  std::size_t place_of_turn(int rank, int turn) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(turns_) +
           static_cast<std::size_t>(turn);
  }

 protected:
  struct Rank {
    Cycle due = kNeverCycle;  // of the first refresh not yet made
    Cycle urgent = kNeverCycle;
    std::int64_t waiting = 0;
    int turn = 0;
    bool blocked = false;  // the banks of its next refresh are blocked
    bool asleep = false;
    void serialize(Archive& archive) { archive(due, urgent, turn, blocked, asleep); }
  };

  explicit RefreshSchedule(const DramParameters& dram)
      : turns_(static_cast<int>(dram.refreshes_per_round())),
        interval_(dram.refresh_interval()),
        ranks_(static_cast<std::size_t>(dram.ranks)) {}
  ~RefreshSchedule() = default;

  const int turns_;  // a power of two
  const Cycle interval_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
