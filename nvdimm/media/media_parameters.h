// SPDX-License-Identifier: BSD-3-Clause
// Parameters of byte-addressable media on the ack line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

// Properties of one medium.
struct MediaTechnology {
  Tick read_time{67'500};  // per line
  Tick write_time{215'000};
  double read_energy = 2.47;  // picojoules per bit
  double write_energy = 16.82;
};

struct StartGapParameters {
  std::int64_t psi = 100;  // writes between two moves; 0: no moves
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

  // Returns the most lines to save at a power failure: the write queue and spared writes.
  // save_time(): the time for them if one bank has all of them.
  std::int64_t save_lines(std::int64_t spared_writes) const { return write_queue + spared_writes; }
  Tick save_time(std::int64_t spared_writes) const {
    return save_lines(spared_writes) * technology.write_time;
  }

  // Declares the fields under "media.".
  void declare(ParameterSet& set);
  void check(Bytes capacity, std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
