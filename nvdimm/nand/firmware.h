// SPDX-License-Identifier: BSD-3-Clause
// Time of the NVDIMM's controller (firmware) for a flash page read by the host.
//
// Each read takes a fixed time, and during the first part of it one of the controller's lanes.
// Reads take lanes in order of arrival.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

struct FirmwareParameters {
  Tick time{0};
  Tick occupied{0};  // at most `time`
  std::int64_t lanes = 1;
};

class Firmware {
 public:
  explicit Firmware(const FirmwareParameters& parameters)
      : time_(parameters.time),
        occupied_(parameters.occupied),
        free_(occupied_ == Tick(0) ? 0 : static_cast<std::size_t>(parameters.lanes)) {}

  bool present() const { return time_ != Tick(0); }

  // Returns when a read that arrives at `now` is done. Precondition: `now` does not decrease from
  // call to call.
  Tick serve(Tick now) {
    Tick start = now;
    if (!free_.empty()) {
      Tick& lane = *std::min_element(free_.begin(), free_.end());
      start = later(now, lane);
      lane = start + occupied_;
    }
    return start + time_;
  }

  // Writes nothing without lanes.
  void serialize(Archive& archive) {
    for (Tick& lane : free_) {
      archive(lane);
    }
  }

 private:
  Tick time_;
  Tick occupied_;
  std::vector<Tick> free_;  // when each lane is free
};

}  // namespace hmsim
