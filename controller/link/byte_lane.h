// SPDX-License-Identifier: BSD-3-Clause
// One direction of a link that carries messages of any number of bytes at a constant rate.
#pragma once

#include <cstdint>

#include "controller/link/link_lane.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class ByteLane {
 public:
  // `rate`: bytes per second, a multiple of a million.
  ByteLane(std::int64_t rate, Tick latency)
      : megabytes_per_second_(rate / kMillion), lane_(latency) {}

  // Sends a message and returns its arrival. Messages without a gap between them are rounded
  // together, so that n messages of a byte take as long as one of n bytes.
  Tick send(Bytes size, Tick now) {
    if (now >= lane_.free_at()) {
      begin_ = now;
      sent_ = Bytes(0);
    }
    const Tick before = lane_.begin(now);
    sent_ += size;
    bytes_ += size;
    const Tick end = begin_ + time_of(sent_);
    busy_ += end - before;
    return lane_.send(end, end);
  }
  // Returns the arrival of information that takes no bytes. Its order among messages is kept.
  Tick piggyback(Tick now) const { return lane_.arrival(now); }
  Tick time_of(Bytes size) const {
    return Tick((size.value() * kMillion + megabytes_per_second_ - 1) / megabytes_per_second_);
  }

  // Time for which messages sent since reset() occupy the lane, and their bytes.
  Tick busy() const { return busy_; }
  Bytes bytes() const { return bytes_; }
  void reset() {
    busy_ = Tick(0);
    bytes_ = Bytes(0);
  }
  void serialize(Archive& archive) { archive(lane_, begin_, sent_, busy_, bytes_); }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;

  const std::int64_t megabytes_per_second_;
  LinkLane lane_;
  Tick begin_{0};  // of the messages that follow each other without a gap
  Bytes sent_{0};  // their bytes so far
  Tick busy_{0};
  Bytes bytes_{0};
};

}  // namespace hmsim
