// SPDX-License-Identifier: BSD-3-Clause
// Notices a class of memory that makes no progress on a channel while the other class does.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "controller/memory_channel.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

class ProgressWatch {
 public:
  // A class starves when so many requests of the other class are served and none of its own,
  // although one is ready for the data bus all the time: at least 4 ms of a bus that carries a line
  // in 4 ns, hundreds of refresh intervals.
  static constexpr Counter kMany = 1'000'000;

  // Compares the channels with what they were at the last look.
  void look(const std::vector<ClassServices>& channels, Tick now);
  // Returns a line for each class that was found to starve since the last call, once in the life of
  // this object.
  std::vector<std::string> take_found() { return std::exchange(found_, {}); }

 private:
  struct Standing {  // as of the last look at which a class had progressed
    Counter served = 0;
    Counter of_other = 0;
    Tick since{0};
    bool ready = false;
  };

  std::vector<std::array<Standing, kMemoryClasses>> channels_;
  std::array<bool, kMemoryClasses> reported_{};
  std::vector<std::string> found_;
};

}  // namespace hmsim
