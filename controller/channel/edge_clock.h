// SPDX-License-Identifier: BSD-3-Clause
// Times of a channel: the clock edge that it processes or processed last, and the next one.
#pragma once

#include "core/archive.h"
#include "core/kernel.h"
#include "core/types.h"

namespace hmsim {

// Edges are numbered by cycles from 0; edge n is at n clock periods. Invariants: next() is later
// than edge(); next_time() is the time of next(), or kNever for kNeverCycle.
class EdgeClock {
 public:
  explicit EdgeClock(Tick period) : period_(period) {}

  // `component`: the one that advances the channel.
  void attach(Kernel& kernel, int component) {
    kernel_ = &kernel;
    wakeup_ = Wakeup(kernel, component);
  }
  // The handle on the kernel of that component.
  const Wakeup& wakeup() const { return wakeup_; }
  Tick kernel_time() const { return kernel_->now(); }

  Tick period() const { return period_; }
  Tick time_of(Cycle edge) const { return Tick(edge.value() * period_.value()); }
  // Returns the first edge at or after `time`.
  Cycle first_edge(Tick time) const {
    return Cycle(time / period_ + (time % period_ == Tick(0) ? 0 : 1));
  }
  // Returns the first edge at or after `time` that is not processed yet.
  Cycle edge_from(Tick time) const {
    const Cycle edge = first_edge(time);
    return later(wakeup_.later_component_acted(time_of(edge)) ? edge + Cycle(1) : edge,
                 edge_ + Cycle(1));
  }

  // The edge being processed, or processed last, and its time. Within an uncontended window now()
  // is updated only before another component reads it.
  Cycle edge() const { return edge_; }
  Tick now() const { return now_; }
  Cycle soonest() const { return edge_ + Cycle(1); }  // the earliest possible next edge

  // The next edge to be processed.
  Cycle next() const { return next_; }
  Tick next_time() const { return next_time_; }
  // Returns whether no edge lies between `time` and next(), so that edge_from(time) is not earlier
  // than next().
  bool is_next_from(Tick time) const { return next_time_ - time < period_; }
  void wake_by(Cycle edge) {
    if (edge < next_) {
      next_ = edge;
      next_time_ = time_of(edge);
    }
  }
  void wake_at(Cycle edge) {
    next_ = edge;
    next_time_ = edge == kNeverCycle ? kNever : time_of(edge);
  }
  void wake_never() {
    next_ = kNeverCycle;
    next_time_ = kNever;
  }

  // Makes the next edge the current one.
  void begin_next() {
    edge_ = next_;
    now_ = next_time_;
  }
  // Moves the current edge. move_to(edge) leaves the time unchanged until arrive().
  void move_to(Cycle edge, Tick time) {
    edge_ = edge;
    now_ = time;
  }
  void move_to(Cycle edge) { edge_ = edge; }
  void arrive() { now_ = time_of(edge_); }

  void serialize(Archive& archive) {
    archive(edge_, next_);
    archive.check(edge_ >= Cycle(-1) && edge_ < next_, "time of a channel runs backwards");
    now_ = time_of(later(edge_, Cycle(0)));
    wake_at(next_);
  }

 private:
  const Tick period_;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  Cycle edge_{-1};
  Tick now_{0};
  Cycle next_ = kNeverCycle;
  Tick next_time_ = kNever;
};

}  // namespace hmsim
