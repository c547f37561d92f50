// SPDX-License-Identifier: BSD-3-Clause
// Timers of a job: its threads' sleeps, and the pause before it starts over.
//
// They run on the job's own clock, which equals simulated time until idle time is skipped. A skip
// makes the next timer expire at once and brings all others nearer by the same amount.
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
  // Advances the job's clock so that the next timer is due by `now`. Precondition: a timer is
  // pending.
  void skip_to_next(Tick now) { skipped_ = std::max(skipped_, events_.next_time() - now); }

  // Calls see(event) for each timer, in unspecified order.
  template <class See>
  void each(See see) const {
    events_.each(see);
  }
  void serialize(Archive& archive) { archive(events_, skipped_); }

 private:
  EventQueue<Kind> events_;  // by the job's clock
  Tick skipped_{0};          // lead of the job's clock over simulated time
};

}  // namespace hmsim
