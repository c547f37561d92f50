// SPDX-License-Identifier: BSD-3-Clause
// Parameters of a page cache in front of a storage device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class Mover : std::uint8_t { fixed, lines };

struct PageCacheParameters {
  Bytes first{0};  // 0: no page cache
  Bytes second{0};
  std::string replacement = "lru";
  Tick hit = 400 * kNanosecond;
  Tick line = 6 * kNanosecond;
  double slow_down = 1;
  Mover mover = Mover::fixed;
  std::int64_t window = 10;
  std::int64_t read_ahead = 0;  // pages
  Bytes reserve{0};

  void declare(ParameterSet& set);  // under "storage.cache."
  std::vector<ParameterError> check() const;

  bool present() const { return first > Bytes(0); }
  std::int64_t first_frames() const { return first / kPageBytes; }
  std::int64_t second_frames() const { return second / kPageBytes; }
  // Returns the time of a move between the levels.
  Tick page_time() const;
};

}  // namespace hmsim
