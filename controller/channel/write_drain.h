// SPDX-License-Identifier: BSD-3-Clause
// Choice between DRAM reads and batches of DRAM writes, with controller.writes: drained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/refresh.h"
#include "controller/config/controller_parameters.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "policies/policy.h"

namespace hmsim {

// Chooses whether reads (side 0) or writes (side 1) use the DRAM. The scheduler decides, or else
// watermarks: a batch starts at high_mark() waiting writes or when no read waits, and ends at
// low_mark(). While all waiting transactions of one side are for banks under refresh, the other
// side is served.
class WriteDrain {
 public:
  WriteDrain(const ControllerParameters& controller, const DramParameters& dram,
             const RefreshControl& refresh);

  // Adds `change` to the number of transactions on `side` that compete for a bank. Banks are
  // numbered over all ranks.
  void count_waiting(int rank, std::int32_t bank, std::size_t side, std::int64_t change) {
    waiting_[side] += change;
    by_turn_[refresh_.place(rank, bank)][side] += change;
  }
  // Returns the side that competes from now on.
  std::size_t choose(Direction direction, Cycle edge) {
    const auto [reads, writes] = waiting_;
    const bool wanted = direction == Direction::by_watermark
                            ? writes >= high_ || (draining_ && writes > low_)
                            : direction == Direction::writes;
    draining_ = writes > 0 && (reads == 0 || wanted);
    const std::size_t side = draining_ ? 1 : 0;
    return refresh_.busy(edge) ? served(side, edge) : side;
  }
  // Before this edge choose() returns the same side, unless requests arrive or leave or a refresh
  // begins.
  Cycle next(Cycle edge) const { return refresh_.next_free(edge); }

  // After loading, nothing waits; call count_waiting() for each waiting transaction.
  void serialize(Archive& archive) {
    archive(draining_);
    if (archive.loading()) {
      waiting_ = {};
      by_turn_.assign(by_turn_.size(), {});
    }
  }

 private:
  using Sides = std::array<std::int64_t, 2>;

  // Returns the wanted side, or the other if only that one waits for banks not under refresh.
  std::size_t served(std::size_t side, Cycle edge) const;

  const std::int64_t high_;
  const std::int64_t low_;
  const RefreshControl& refresh_;
  Sides waiting_{};
  std::vector<Sides> by_turn_;  // waiting_ by refresh place
  bool draining_ = false;
};

}  // namespace hmsim
