// SPDX-License-Identifier: BSD-3-Clause
// One direction of a CXL link: messages in flits, first in, first out.
#pragma once

#include <array>
#include <cstdint>

#include "controller/config/port_parameters.h"
#include "controller/link/link_lane.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// A header alone (a read request, the answer to a write) or with a line of data.
enum class FlitMessage : std::uint8_t { header, data };

// Messages follow each other slot by slot. A message can be used at the end of the flit in which
// its last slot is; it is assumed to begin a flit. Arrivals keep the order of sending.
class FlitLane {
 public:
  FlitLane(const LaneParameters& lane, const PortParameters& port);

  // Sends a message and returns its arrival.
  Tick send(FlitMessage message, Tick now) {
    const Times& times = times_[static_cast<std::size_t>(message)];
    const Tick begin = lane_.begin(now);
    ++messages_[static_cast<std::size_t>(message)];
    return lane_.send(begin + times.slots, begin + times.whole_flits);
  }
  // Returns the arrival of information that any flit carries at no cost, such as credits. Its order
  // among messages is kept.
  Tick piggyback(Tick now) const { return lane_.arrival(now); }

  // Time for which messages sent since reset() occupy the lane, and their number.
  Tick busy() const {
    return static_cast<std::int64_t>(messages_[0]) * times_[0].slots +
           static_cast<std::int64_t>(messages_[1]) * times_[1].slots;
  }
  std::uint64_t messages(FlitMessage message) const {
    return messages_[static_cast<std::size_t>(message)];
  }
  void reset() { messages_ = {}; }
  void serialize(Archive& archive) { archive(lane_, messages_); }

 private:
  struct Times {
    Tick slots;        // occupies the lane
    Tick whole_flits;  // until its last flit is complete
  };

  LinkLane lane_;
  const std::array<Times, 2> times_;  // by FlitMessage
  std::array<std::uint64_t, 2> messages_{};
};

}  // namespace hmsim
