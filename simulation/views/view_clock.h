// SPDX-License-Identifier: BSD-3-Clause
// Edges of a core's clock, computed for the views. Shares no code with core/clock.h, which the
// cores use.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

// Edge n is at n / rate, rounded up to a picosecond.
class ViewClock {
 public:
  explicit ViewClock(std::int64_t per_millisecond) : rate_(per_millisecond) {}

  Tick time_of(std::int64_t edge) const {
    const std::int64_t rest = edge % rate_ * kMillisecond.value();
    return edge / rate_ * kMillisecond + Tick(rest / rate_ + (rest % rate_ == 0 ? 0 : 1));
  }
  // Returns the first edge at or after a time.
  std::int64_t edge_from(Tick time) const {
    if (time <= Tick(0)) {
      return 0;
    }
    const Tick before = time - Tick(1);
    return before / kMillisecond * rate_ +
           (before % kMillisecond).value() * rate_ / kMillisecond.value() + 1;
  }

 private:
  std::int64_t rate_;
};

}  // namespace hmsim
