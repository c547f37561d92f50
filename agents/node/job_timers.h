// SPDX-License-Identifier: BSD-3-Clause
// What ends after a time in a job: its threads' sleeps, and the pause before it starts over.
//
// They go by a clock of the job's own, which is the simulation's until idle time is skipped: then
// the next of them ends at once, and all others are as much nearer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/archive.h"
#include "core/clock.h"
#include "core/event_queue.h"
#include "core/types.h"

namespace hmsim {

class JobTimers {
 public:
  enum class Kind : std::uint8_t { wake, start_over, last = start_over };
  using Event = EventQueue<Kind>::Event;

  void schedule(Tick now, Tick after, Kind kind, std::uint32_t thread) {
    events_.schedule(sum_in_time(sum_in_time(now, skipped_), after), kind, thread);
  }
  Tick next_time() const { return events_.empty() ? kNever : events_.next_time() - skipped_; }
  bool due(Tick now) const { return next_time() <= now; }
  Event pop() { return events_.pop(); }
  // There is one.
  void skip_to_next(Tick now) { skipped_ = std::max(skipped_, events_.next_time() - now); }

  // see(event) for all, in no order.
  template <class See>
  void each(See see) const {
    events_.each(see);
  }
  void serialize(Archive& archive) { archive(events_, skipped_); }

 private:
  EventQueue<Kind> events_;  // by the job's clock
  Tick skipped_{0};          // how far that is ahead of the simulation's
};

}  // namespace hmsim
