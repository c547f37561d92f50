// SPDX-License-Identifier: BSD-3-Clause
// Timeline of one LUN or bank during a save or a recovery, which may be interrupted. Operations run
// one after another.
#pragma once

#include "core/types.h"

namespace hmsim {

class PowerLane {
 public:
  enum class Outcome { done, torn, never };

  // `end`: time of the interruption, counted from the beginning.
  explicit PowerLane(Tick end = kNever) : end_(end) {}

  // Runs the next operation. done: it ended before the interruption. torn: it was interrupted.
  // never: it did not begin.
  Outcome spend(Tick duration) {
    const Tick begin = time_;
    time_ += duration;
    return time_ <= end_ ? Outcome::done : begin < end_ ? Outcome::torn : Outcome::never;
  }
  void wait_until(Tick time) { time_ = later(time_, time); }

  // Returns the time at which the last operation would end without the interruption.
  Tick time() const { return time_; }
  // Returns whether power was lost: an operation was torn or did not begin, so no later one begins.
  bool over() const { return time_ > end_; }

 private:
  Tick end_;
  Tick time_{0};
};

}  // namespace hmsim
