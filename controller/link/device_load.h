// SPDX-License-Identifier: BSD-3-Clause
// The load that a CXL device reports with its answers (DevLoad).
#pragma once

#include <cstdint>

#include "controller/config/port_parameters.h"
#include "core/archive.h"
#include "core/types.h"
#include "policies/host_limiter.h"

namespace hmsim {

inline constexpr std::size_t kLoadLevels = 4;

// Receives the level that an answer carries.
class LoadListener {
 public:
  virtual ~LoadListener() = default;
  virtual void on_load(LoadLevel level, Tick now) = 0;
};

// Counts the requests in a device. The level is sampled by the first answer after each kInterval.
class DeviceLoad {
 public:
  explicit DeviceLoad(const LoadThresholds& thresholds) : thresholds_(thresholds) {}

  void enter() { ++requests_; }
  void leave() { --requests_; }
  LoadLevel level(Tick now) {
    if (now >= next_sample_) {
      next_sample_ = now + kInterval;
      level_ = requests_ >= thresholds_.severe     ? LoadLevel::severe
               : requests_ >= thresholds_.moderate ? LoadLevel::moderate
               : requests_ >= thresholds_.optimal  ? LoadLevel::optimal
                                                   : LoadLevel::light;
    }
    return level_;
  }
  void serialize(Archive& archive) { archive(requests_, level_, next_sample_); }

 private:
  static constexpr Tick kInterval = 100 * kNanosecond;

  const LoadThresholds thresholds_;
  std::int64_t requests_ = 0;
  LoadLevel level_ = LoadLevel::light;
  Tick next_sample_{0};
};

}  // namespace hmsim
