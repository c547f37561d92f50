// SPDX-License-Identifier: BSD-3-Clause
// Detector of a memory class that makes no progress on a channel while the other class does.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "controller/channel/memory_channel.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

class ProgressWatch {
 public:
  // Threshold of starvation. A class starves if the other class is served this many times and
  // itself never, although it always has a request ready for the data bus. On a bus that carries a
  // line in 4 ns, this takes at least 4 ms, hundreds of refresh intervals.
  static constexpr Counter kMany = 1'000'000;

  // Compares the channels with their state at the last call.
  void look(const std::vector<ClassServices>& channels, Tick now);
  // Returns a line per class found to starve since the last call. Each class is reported once.
  std::vector<std::string> take_found() { return std::exchange(found_, {}); }

 private:
  struct SourceMeasurements {  // at the last progress of the class
    Counter served = 0;
    Counter of_other = 0;
    Tick since{0};
    bool ready = false;
  };

  std::vector<std::array<SourceMeasurements, kMemoryClasses>> channels_;
  std::array<bool, kMemoryClasses> reported_{};
  std::vector<std::string> found_;
};

}  // namespace hmsim
