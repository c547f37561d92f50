// SPDX-License-Identifier: BSD-3-Clause
// What a LUN, or a bank, does one thing after the other while a save or a recovery lasts, and what
// becomes of it when that is interrupted.
#pragma once

#include "core/types.h"

namespace hmsim {

class PowerLane {
 public:
  enum class Outcome { done, torn, never };

  // Interrupted so long after the beginning.
  explicit PowerLane(Tick end = kNever) : end_(end) {}

  // The next operation: over in time, begun in time, or neither.
  Outcome spend(Tick duration) {
    const Tick begin = time_;
    time_ += duration;
    return time_ <= end_ ? Outcome::done : begin < end_ ? Outcome::torn : Outcome::never;
  }
  void wait_until(Tick time) { time_ = later(time_, time); }

  // When all of it would end.
  Tick time() const { return time_; }
  // Something was interrupted, or not begun; so is all that comes later.
  bool over() const { return time_ > end_; }

 private:
  Tick end_;
  Tick time_{0};
};

}  // namespace hmsim
