// SPDX-License-Identifier: BSD-3-Clause
// Events by which threads of a job wake each other. Wakes are counted: one that comes before its
// wait is remembered. Of several that wait for an event, the first one goes first.
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

  // False: the thread must wait.
  bool take(std::uint32_t event, std::uint32_t thread) {
    Event& each = at(event);
    if (each.wakes > 0) {
      --each.wakes;
      return true;
    }
    each.waiting.push(thread);
    return false;
  }
  // The thread that goes on; nullopt: none waits.
  std::optional<std::uint32_t> wake(std::uint32_t event) {
    Event& each = at(event);
    if (each.waiting.empty()) {
      ++each.wakes;
      return std::nullopt;
    }
    const std::uint32_t thread = each.waiting.front();
    each.waiting.pop();
    return thread;
  }
  // see(thread, event) for all that wait.
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
  // A record or a message that was loaded may name any event.
  Event& at(std::uint32_t event) {
    ensure(event < events_.size(), "job", Tick(0), event, "the program has no such event");
    return events_[event];
  }

  std::vector<Event> events_;
};

}  // namespace hmsim
