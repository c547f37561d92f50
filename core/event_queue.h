// SPDX-License-Identifier: BSD-3-Clause
// A component's own pending events: plain records in a binary heap, first by time, then in order of
// scheduling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

template <class Kind>
class EventQueue {
 public:
  struct Event {
    Tick time{0};
    std::uint64_t order = 0;
    Kind kind{};
    std::uint32_t payload = 0;

    void serialize(Archive& archive) { archive(time, order, kind, payload); }
  };

  void schedule(Tick time, Kind kind, std::uint32_t payload) {
    heap_.push_back({time, next_order_++, kind, payload});
    std::push_heap(heap_.begin(), heap_.end(), After());
    next_time_ = heap_.front().time;
  }

  // For events that are kept elsewhere: a place in the order of scheduling; and that of the next
  // one here.
  std::uint64_t take_order() { return next_order_++; }
  std::uint64_t order_of_next() const { return heap_.front().order; }

  bool empty() const { return heap_.empty(); }
  Tick next_time() const { return next_time_; }

  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), After());
    const Event event = heap_.back();
    heap_.pop_back();
    next_time_ = heap_.empty() ? kNever : heap_.front().time;
    return event;
  }

  // see(event) for all, in no order.
  template <class See>
  void each(See see) const {
    for (const Event& event : heap_) {
      see(event);
    }
  }

  void serialize(Archive& archive) {
    archive(heap_, next_order_);
    next_time_ = heap_.empty() ? kNever : heap_.front().time;
  }

 private:
  // An object, not a function: its call is then no call.
  struct After {
    bool operator()(const Event& a, const Event& b) const {
      return b.time < a.time || (a.time == b.time && b.order < a.order);
    }
  };

  std::vector<Event> heap_;
  Tick next_time_ = kNever;  // of its first
  std::uint64_t next_order_ = 0;
};

}  // namespace hmsim
