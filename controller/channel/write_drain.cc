// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/write_drain.h"

namespace hmsim {

WriteDrain::WriteDrain(const ControllerParameters& controller, const DramParameters& dram,
                       const RefreshControl& refresh)
    : high_(controller.high_mark()),
      low_(controller.low_mark()),
      refresh_(refresh),
      by_turn_(static_cast<std::size_t>(dram.ranks * dram.refreshes_per_round())) {}

std::size_t WriteDrain::choose(Direction direction, Cycle edge) {
  const auto [reads, writes] = waiting_;
  const bool wanted = direction == Direction::by_watermark
                          ? writes >= high_ || (draining_ && writes > low_)
                          : direction == Direction::writes;
  draining_ = writes > 0 && (reads == 0 || wanted);
  const std::size_t side = draining_ ? 1 : 0;
  if (!refresh_.busy(edge)) {
    return side;
  }
  Sides served{};
  for (std::size_t place = 0; place < by_turn_.size(); ++place) {
    if (!refresh_.busy(place, edge)) {
      served[0] += by_turn_[place][0];
      served[1] += by_turn_[place][1];
    }
  }
  return served[side] == 0 && served[1 - side] > 0 ? 1 - side : side;
}

}  // namespace hmsim
