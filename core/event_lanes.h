// SPDX-License-Identifier: BSD-3-Clause
// Queue of a component's own pending events, most of which are scheduled in order of time: lanes
// that are first in, first out, beside an EventQueue. The order is that of an EventQueue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/event_queue.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

template <class Kind, std::size_t Lanes>
class EventLanes {
 public:
  using Event = typename EventQueue<Kind>::Event;

  void schedule(Tick time, Kind kind, std::uint32_t payload) {
    queue_.schedule(time, kind, payload);
    heads_[kQueue] = head_of_queue();
    if (time < next_time_) {
      next_time_ = time;
      first_ = kQueue;
    }
  }
  // As schedule(), in constant time if the event is not before the lane's last one.
  void schedule_in(std::size_t lane, Tick time, Kind kind, std::uint32_t payload) {
    Ring<Event>& own = lanes_[lane];
    if (!own.empty() && time < own.back().time) {
      schedule(time, kind, payload);
      return;
    }
    const std::uint64_t order = queue_.take_order();
    if (own.empty()) {
      heads_[lane] = {time, order};
    }
    own.push({time, order, kind, payload});
    if (time < next_time_) {
      next_time_ = time;
      first_ = lane;
    }
  }

  Tick next_time() const { return next_time_; }

  // Removes the next event. There must be one.
  Event pop() {
    const std::size_t from = first_;
    if (from == kQueue) {
      const Event event = queue_.pop();
      heads_[kQueue] = head_of_queue();
      find_first();
      return event;
    }
    Ring<Event>& lane = lanes_[from];
    const Event event = lane.front();
    lane.pop();
    heads_[from] = head_of(lane);
    find_first();
    return event;
  }

  // Calls see(event) for all events, in unspecified order.
  template <class See>
  void each(See see) const {
    queue_.each(see);
    for (const Ring<Event>& lane : lanes_) {
      lane.each(see);
    }
  }

  void serialize(Archive& archive) {
    archive(queue_);
    heads_[kQueue] = head_of_queue();
    for (std::size_t i = 0; i < Lanes; ++i) {
      archive(lanes_[i]);
      Tick last{0};
      lanes_[i].each([&](const Event& event) {
        archive.check(event.time >= last, "events out of order");
        last = event.time;
      });
      heads_[i] = head_of(lanes_[i]);
    }
    find_first();
  }

 private:
  static constexpr std::size_t kQueue = Lanes;
  struct Head {
    Tick time = kNever;
    std::uint64_t order = 0;
  };

  static Head head_of(const Ring<Event>& lane) {
    return lane.empty() ? Head() : Head{lane.front().time, lane.front().order};
  }
  Head head_of_queue() const {
    return queue_.empty() ? Head() : Head{queue_.next_time(), queue_.order_of_next()};
  }
  void find_first() {
    first_ = 0;
    for (std::size_t i = 1; i < heads_.size(); ++i) {
      const Head& one = heads_[i];
      const Head& best = heads_[first_];
      if (one.time < best.time || (one.time == best.time && one.order < best.order)) {
        first_ = i;
      }
    }
    next_time_ = heads_[first_].time;
  }

  EventQueue<Kind> queue_;
  std::array<Ring<Event>, Lanes> lanes_;
  std::array<Head, Lanes + 1> heads_{};  // first events of the lanes, then of queue_
  std::size_t first_ = 0;                // index of the next event's head
  Tick next_time_ = kNever;
};

}  // namespace hmsim
