// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/write_drain.h"

namespace hmsim {

WriteDrain::WriteDrain(const ControllerParameters& controller, const DramParameters& dram,
                       const RefreshControl& refresh)
    : high_(controller.high_mark()),
      low_(controller.low_mark()),
      refresh_(refresh),
      by_turn_(static_cast<std::size_t>(dram.ranks * dram.refreshes_per_round())) {}

std::size_t WriteDrain::served(std::size_t side, Cycle edge) const {
  Sides waiting{};
  for (std::size_t place = 0; place < by_turn_.size(); ++place) {
    if (!refresh_.busy(place, edge)) {
      waiting[0] += by_turn_[place][0];
      waiting[1] += by_turn_[place][1];
    }
  }
  return waiting[side] == 0 && waiting[1 - side] > 0 ? 1 - side : side;
}

}  // namespace hmsim
