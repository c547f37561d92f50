// SPDX-License-Identifier: BSD-3-Clause
// Messages on a lane of a link, in order of arrival.
#pragma once

#include "core/archive.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

template <class Message>
class InFlight {
 public:
  // Makes room for a number of messages, so that place() can add them. There must be none yet.
  void reserve(std::size_t count) {
    for (std::size_t message = 0; message < count; ++message) {
      messages_.push();
    }
    messages_.clear();
  }
  bool empty() const { return messages_.empty(); }
  // Returns when the first message arrives; kNever if there is none.
  Tick next() const { return next_; }

  // Adds a message, which arrives after all others, and returns it. The caller must assign it.
  Message& push(Tick arrival) {
    if (messages_.full()) {
      messages_.make_room();
    }
    return place(arrival);
  }
  // As push(), if there is room.
  Message& place(Tick arrival) {
    next_ = earlier(next_, arrival);
    Timed& added = messages_.place();
    added.arrival = arrival;
    return added.message;
  }
  // Removes the first message and returns it. It is valid until the next push().
  const Message& pop() {
    const Message& first = messages_.front().message;
    messages_.pop();
    next_ = first_arrival();
    return first;
  }
  // Calls see(message) for all messages, in order.
  template <class See>
  void each(See see) const {
    messages_.each([&see](const Timed& each) { see(each.message); });
  }

  void serialize(Archive& archive) {
    archive(messages_);
    next_ = first_arrival();
  }

 private:
  struct Timed {
    Tick arrival{0};
    Message message;
    void serialize(Archive& archive) { archive(arrival, message); }
  };

  Tick first_arrival() const { return messages_.empty() ? kNever : messages_.front().arrival; }

  Ring<Timed> messages_;
  Tick next_ = kNever;
};

}  // namespace hmsim
