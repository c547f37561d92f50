// SPDX-License-Identifier: BSD-3-Clause
// The time of one LUN, or bank, during a save or a recovery, which may be interrupted. Its
// operations follow one another.
#pragma once

#include "core/types.h"

namespace hmsim {

class PowerLane {
 public:
  enum class Outcome { done, torn, never };

  // The interruption comes at `end`, counted from the beginning.
  explicit PowerLane(Tick end = kNever) : end_(end) {}

  // Runs the next operation: done before the interruption, torn by it, or never begun.
  Outcome spend(Tick duration) {
    const Tick begin = time_;
    time_ += duration;
    return time_ <= end_ ? Outcome::done : begin < end_ ? Outcome::torn : Outcome::never;
  }
  void wait_until(Tick time) { time_ = later(time_, time); }

  // When the last operation would end without an interruption.
  Tick time() const { return time_; }
  // An operation was torn or never begun; so is each later one.
  bool over() const { return time_ > end_; }

 private:
  Tick end_;
  Tick time_{0};
};

}  // namespace hmsim
