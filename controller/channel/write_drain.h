// SPDX-License-Identifier: BSD-3-Clause
// controller.writes: drained. Reads (side 0) or the batch of writes (side 1): which has the DRAM?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/refresh.h"
#include "controller/controller_parameters.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "policies/policy.h"

namespace hmsim {

// The scheduler says so, or else: a batch begins with so many waiting writes, or when no read
// waits, and ends with so few of them. While all that waits on one side is for banks under refresh,
// the other side goes.
class WriteDrain {
 public:
  WriteDrain(const ControllerParameters& controller, const DramParameters& dram,
             const RefreshControl& refresh);

  // One that competes on that side for a bank (over all ranks) comes or goes.
  void count_waiting(int rank, std::int32_t bank, std::size_t side, std::int64_t change) {
    waiting_[side] += change;
    by_turn_[refresh_.place(rank, bank)][side] += change;
  }
  // The side that competes from now on.
  std::size_t choose(Direction direction, Cycle edge);
  // Until then choose() answers the same, unless requests come or go or a refresh begins.
  Cycle next(Cycle edge) const { return refresh_.next_free(edge); }

  // Loading: nobody waits then; count_waiting() is to be called for each that does.
  void serialize(Archive& archive) {
    archive(draining_);
    if (archive.loading()) {
      waiting_ = {};
      by_turn_.assign(by_turn_.size(), {});
    }
  }

 private:
  using Sides = std::array<std::int64_t, 2>;

  const std::int64_t high_;
  const std::int64_t low_;
  const RefreshControl& refresh_;
  Sides waiting_{};
  std::vector<Sides> by_turn_;  // those of waiting_ by what is refreshed together
  bool draining_ = false;
};

}  // namespace hmsim
