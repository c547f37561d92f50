// SPDX-License-Identifier: BSD-3-Clause
// One direction of a link, first in, first out.
#pragma once

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// Messages occupy the lane one after the other. Arrivals keep the order of sending.
class LinkLane {
 public:
  // `latency`: from the end of a message to its arrival.
  explicit LinkLane(Tick latency) : latency_(latency) {}

  Tick free_at() const { return free_at_; }
  // Returns when a message that is sent at `now` begins.
  Tick begin(Tick now) const { return later(free_at_, now); }
  // Returns the arrival of a message, or of information without a message, that ends at `end`.
  Tick arrival(Tick end) const { return later(last_arrival_, end + latency_); }
  // Sends a message that occupies the lane until `until` and is complete at `end`. Returns its
  // arrival.
  Tick send(Tick until, Tick end) {
    last_arrival_ = arrival(end);
    free_at_ = until;
    return last_arrival_;
  }

  void serialize(Archive& archive) { archive(free_at_, last_arrival_); }

 private:
  const Tick latency_;
  Tick free_at_{0};
  Tick last_arrival_{0};
};

}  // namespace hmsim
