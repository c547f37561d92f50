// SPDX-License-Identifier: BSD-3-Clause
// Events by which threads of a job wake each other. Wakes are counted, so one that precedes its
// wait is remembered. Threads that wait for the same event continue in the order of their waits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/ring.h"

namespace hmsim {

class JobEvents {
 public:
  void resize(std::size_t events) { events_.assign(events, Event()); }

  // Takes a wake. Returns false if the thread must wait.
  bool take(std::uint32_t event, std::uint32_t thread) {
    Event& each = at(event);
    if (each.wakes > 0) {
      --each.wakes;
      return true;
    }
    each.waiting.push(thread);
    return false;
  }
  // Wakes the first waiting thread and returns it. nullopt: no thread waits, and the wake is
  // counted.
  std::optional<std::uint32_t> wake(std::uint32_t event) {
    Event& each = at(event);
    if (each.waiting.empty()) {
      ++each.wakes;
      return std::nullopt;
    }
    return each.waiting.take();
  }
  // Calls see(thread, event) for each waiting thread.
  template <class See>
  void each_waiting(See see) const {
    for (std::uint32_t event = 0; event < events_.size(); ++event) {
      events_[event].waiting.each([&](std::uint32_t thread) { see(thread, event); });
    }
  }

  void serialize(Archive& archive) { archive.fixed(events_); }

 private:
  struct Event {
    std::uint64_t wakes = 0;
    Ring<std::uint32_t> waiting;
    void serialize(Archive& archive) { archive(wakes, waiting); }
  };
  // Raises a Fault for an unknown event, which a loaded record or message may name.
  Event& at(std::uint32_t event) {
    ensure(event < events_.size(), "job", Tick(0), event, "invalid event of a program");
    return events_[event];
  }

  std::vector<Event> events_;
};

}  // namespace hmsim
