// SPDX-License-Identifier: BSD-3-Clause
// The parameters of byte-addressable media behind the ack line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

// What distinguishes one medium from another.
struct MediaTechnology {
  Tick read_time{67'500};  // of a line
  Tick write_time{215'000};
  double read_energy = 2.47;  // picojoules a bit
  double write_energy = 16.82;
};

struct StartGapParameters {
  std::int64_t psi = 100;  // writes between two moves; 0: none
  std::int64_t regions = 1;
  bool randomised = true;
};

struct MediaParameters {
  MediaTechnology technology;
  Tick command_time{0};
  std::int64_t banks = 16;
  Bytes interleave = kLineBytes;
  std::int64_t write_queue = 64;
  StartGapParameters start_gap;

  std::int64_t region_lines(Bytes capacity) const {
    return capacity / kLineBytes / banks / start_gap.regions;
  }

  // Lines that a power failure may leave to save: every entry of the write queue, and spared
  // writes. The time for them, if all are of one bank.
  std::int64_t save_lines(std::int64_t spared_writes) const { return write_queue + spared_writes; }
  Tick save_time(std::int64_t spared_writes) const {
    return save_lines(spared_writes) * technology.write_time;
  }

  // Under "media.".
  void declare(ParameterSet& set);
  void check(Bytes capacity, std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
