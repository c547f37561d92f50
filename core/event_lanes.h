// SPDX-License-Identifier: BSD-3-Clause
// Queue of a component's own pending events, most of which are scheduled in order of time: lanes
// that are first in, first out, beside an EventQueue. The order is that of an EventQueue.
//
// Events for the time of the last popped event have a list without times. They come after all other
// events of this time, because those were scheduled before.
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
  EventLanes() { heads_.fill(kNever); }

  struct Event {
    Tick time{0};
    Kind kind{};
    std::uint32_t payload = 0;
  };

  void schedule(Tick time, Kind kind, std::uint32_t payload) {
    if (time == now_) {
      schedule_at_once(kind, payload);
    } else {
      schedule_in_queue(time, kind, payload);
    }
  }
  // As schedule(), in constant time if the event is not before the lane's last one.
  void schedule_in(std::size_t lane, Tick time, Kind kind, std::uint32_t payload) {
    Ring<Stored>& own = lanes_[lane];
    if (time == now_) {
      schedule_at_once(kind, payload);
    } else if (!own.empty() && time < own.back().time) {
      schedule_in_queue(time, kind, payload);
    } else {
      const std::uint64_t order = queue_.take_order();
      if (own.empty()) {
        begin(lane, time);
      }
      own.push({time, order, kind, payload});
    }
  }

  Tick next_time() const { return next_time_; }

  // Removes the next event. There must be one.
  Event pop() {
    if (!at_once_.empty() && heads_[first_] != now_) {
      const Task task = at_once_.front();
      at_once_.pop();
      find_next_time();
      return {now_, task.kind, task.payload};
    }
    Event event;
    if (first_ == kQueue) {
      const Stored stored = queue_.pop();
      event = {stored.time, stored.kind, stored.payload};
      heads_[kQueue] = queue_.next_time();
    } else {
      Ring<Stored>& lane = lanes_[first_];
      const Stored& stored = lane.front();
      event = {stored.time, stored.kind, stored.payload};
      lane.pop();
      heads_[first_] = head_of(lane);
    }
    now_ = event.time;
    find_first();
    return event;
  }

  // Calls see(event) for all events, in unspecified order.
  template <class See>
  void each(See see) const {
    const auto see_stored = [&see](const Stored& stored) {
      see(Event{stored.time, stored.kind, stored.payload});
    };
    queue_.each(see_stored);
    for (const Ring<Stored>& lane : lanes_) {
      lane.each(see_stored);
    }
    at_once_.each([&](const Task& task) { see(Event{now_, task.kind, task.payload}); });
  }

  void serialize(Archive& archive) {
    for (; !at_once_.empty(); at_once_.pop()) {
      queue_.schedule(now_, at_once_.front().kind, at_once_.front().payload);
    }
    now_ = Tick(-1);
    archive(queue_);
    heads_[kQueue] = queue_.next_time();
    for (std::size_t i = 0; i < Lanes; ++i) {
      archive(lanes_[i]);
      Tick last{0};
      lanes_[i].each([&](const Stored& event) {
        archive.check(event.time >= last, "events out of order");
        last = event.time;
      });
      heads_[i] = head_of(lanes_[i]);
    }
    find_first();
  }

 private:
  using Stored = typename EventQueue<Kind>::Event;
  static constexpr std::size_t kQueue = Lanes;
  struct Task {
    Kind kind{};
    std::uint32_t payload = 0;
  };

  void schedule_at_once(Kind kind, std::uint32_t payload) {
    at_once_.push({kind, payload});
    next_time_ = now_;
  }
  void schedule_in_queue(Tick time, Kind kind, std::uint32_t payload) {
    queue_.schedule(time, kind, payload);
    if (time < heads_[kQueue]) {
      begin(kQueue, time);
    }
  }
  // Gives a lane, or the queue, a first event that is before its previous one.
  void begin(std::size_t lane, Tick time) {
    const Tick before = heads_[first_];
    heads_[lane] = time;
    if (time < before) {
      first_ = lane;
      next_time_ = earlier(next_time_, time);
    }
  }
  static Tick head_of(const Ring<Stored>& lane) {
    return lane.empty() ? kNever : lane.front().time;
  }
  std::uint64_t order_of_head(std::size_t lane) const {
    return lane == kQueue ? queue_.order_of_next() : lanes_[lane].front().order;
  }
  void find_first() {
    first_ = 0;
    Tick time = heads_[0];
    for (std::size_t i = 1; i < heads_.size(); ++i) {
      if (heads_[i] < time ||
          (heads_[i] == time && time != kNever && order_of_head(i) < order_of_head(first_))) {
        first_ = i;
        time = heads_[i];
      }
    }
    find_next_time();
  }
  void find_next_time() { next_time_ = at_once_.empty() ? heads_[first_] : now_; }

  EventQueue<Kind> queue_;
  std::array<Ring<Stored>, Lanes> lanes_;
  std::array<Tick, Lanes + 1> heads_;  // times of the first events of the lanes, then of queue_
  std::size_t first_ = 0;              // index of the earliest head
  Ring<Task> at_once_;                 // events at now_
  Tick now_{-1};                       // time of the last popped event; initially none
  Tick next_time_ = kNever;
};

}  // namespace hmsim
