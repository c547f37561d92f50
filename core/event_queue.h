// SPDX-License-Identifier: BSD-3-Clause
// Queue of a component's own pending events: plain records in a binary heap, ordered by time, then
// by order of scheduling.
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
    std::size_t place = heap_.size();
    heap_.emplace_back();
    Event* const heap = heap_.data();
    while (place > 0) {
      const std::size_t above = (place - 1) / 2;
      if (heap[above].time <= time) {  // `heap[above]` was scheduled earlier
        break;
      }
      heap[place] = heap[above];
      place = above;
    }
    heap[place] = {time, next_order_++, kind, payload};
    next_time_ = heap[0].time;
  }

  // Reserves a position in the order of scheduling for an event that is stored elsewhere.
  std::uint64_t take_order() { return next_order_++; }
  // Returns the position of the next event here. The queue must not be empty.
  std::uint64_t order_of_next() const { return heap_.front().order; }

  bool empty() const { return heap_.empty(); }
  Tick next_time() const { return next_time_; }

  Event pop() {
    Event* const heap = heap_.data();
    const Event first = heap[0];
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) {
      next_time_ = kNever;
      return first;
    }
    std::size_t place = 0;
    for (std::size_t child = 1; child < size; child = 2 * place + 1) {
      child += child + 1 < size && before(heap[child + 1], heap[child]) ? 1 : 0;
      if (!before(heap[child], last)) {
        break;
      }
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
    next_time_ = heap[0].time;
    return first;
  }

  // Calls see(event) for all events, in unspecified order.
  template <class See>
  void each(See see) const {
    for (const Event& event : heap_) {
      see(event);
    }
  }

  void serialize(Archive& archive) {
    archive(heap_, next_order_);
    if (archive.loading()) {  // a valid heap remains unchanged
      std::make_heap(heap_.begin(), heap_.end(),
                     [](const Event& a, const Event& b) { return before(b, a); });
    }
    next_time_ = heap_.empty() ? kNever : heap_.front().time;
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }

  std::vector<Event> heap_;
  Tick next_time_ = kNever;  // time of heap_'s first event
  std::uint64_t next_order_ = 0;
};

}  // namespace hmsim
