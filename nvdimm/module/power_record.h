// SPDX-License-Identifier: BSD-3-Clause
// Record of one NVDIMM's power failures since it was built.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/module/module_parameters.h"
#include "nvdimm/module/power_lane.h"

namespace hmsim {

inline constexpr std::int64_t kMicrojoulesPerMillijoule = 1000;

struct PowerRecord {
  std::uint64_t failures = 0;
  std::uint64_t flushed_pages = 0;
  std::uint64_t merged_pages = 0;  // of flushed_pages, those completed by a read
  std::uint64_t torn_pages = 0;    // interrupted programs, and pages of torn blocks
  std::uint64_t saved_lines = 0;   // byte-addressable media only
  std::uint64_t spared_lines = 0;  // from the host's queue
  Tick hold_up{0};                 // the longest
  std::int64_t energy = 0;         // of the longest hold_up, in microjoules
  Tick recovery{0};                // the longest, from the return of power
  Tick drained{0};                 // discharge time of the ultracapacitors since the last recovery

  // Adds a failure whose save, complete or interrupted, took `save`. Throws InputError if the
  // energy is insufficient.
  void fail(const PowerParameters& parameters, Tick save);
  // Adds a completed recovery.
  void recover(Tick time) {
    recovery = later(recovery, time);
    drained = Tick(0);
  }

  void serialize(Archive& archive) {
    archive(failures, flushed_pages, merged_pages, torn_pages, saved_lines, spared_lines);
    archive(hold_up, energy, recovery, drained);
  }
};

// Returns `count` / `parts`, rounded up.
inline std::int64_t share(std::int64_t count, std::int64_t parts) {
  return (count + parts - 1) / parts;
}

// Returns when the last lane ends.
Tick longest(const std::vector<PowerLane>& lanes);

// Returns the energy of a save that takes `hold_up`, in microjoules, rounded up.
std::int64_t flush_energy(const PowerParameters& parameters, Tick hold_up);

}  // namespace hmsim
