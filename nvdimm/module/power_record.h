// SPDX-License-Identifier: BSD-3-Clause
// Power failures of one NVDIMM since it was built.
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
  std::uint64_t merged_pages = 0;  // of the flushed ones, those that had to be read first
  std::uint64_t torn_pages = 0;    // programs that were interrupted, and pages of torn blocks
  std::uint64_t saved_lines = 0;   // of byte-addressable media
  std::uint64_t spared_lines = 0;  // writes of the host's queue
  Tick hold_up{0};                 // the longest
  std::int64_t energy = 0;         // for that, in microjoules
  Tick recovery{0};                // the longest, once power is back
  Tick drained{0};  // time for which the ultracapacitors were drawn upon since the last recovery

  // Adds a failure whose save, complete or interrupted, took `save`. Throws InputError if the
  // energy does not suffice.
  void fail(const PowerParameters& parameters, Tick save);
  // A recovery is over.
  void recover(Tick time) {
    recovery = later(recovery, time);
    drained = Tick(0);
  }

  void serialize(Archive& archive) {
    archive(failures, flushed_pages, merged_pages, torn_pages, saved_lines, spared_lines);
    archive(hold_up, energy, recovery, drained);
  }
};

// When the last of the lanes is done.
Tick longest(const std::vector<PowerLane>& lanes);

// Energy of a save that takes `hold_up`, in microjoules, rounded up.
std::int64_t flush_energy(const PowerParameters& parameters, Tick hold_up);

}  // namespace hmsim
