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
  Tick read_time{67'500};  // per line of the medium
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
  Bytes line = kLineBytes;
  std::int64_t line_buffer = 64;  // media lines; used if a media line has several lines of the host
  std::int64_t write_queue = 64;
  StartGapParameters start_gap;

  // Returns the lines of the host in a media line, and whether the module buffers media lines.
  std::int64_t sectors() const { return line / kLineBytes; }
  bool buffers_lines() const { return line != kLineBytes; }

  std::int64_t region_lines(Bytes capacity) const {
    return capacity / line / banks / start_gap.regions;
  }

  // Returns the most media lines to save at a power failure: those of the write queue, of spared
  // writes and of the combining buffer. save_time(): the time for them if one bank has all of them
  // and must read all but the written parts first.
  std::int64_t save_lines(std::int64_t spared_writes) const {
    return write_queue + spared_writes + (buffers_lines() ? line_buffer : 0);
  }
  Tick save_time(std::int64_t spared_writes) const {
    const Tick read = buffers_lines() ? technology.read_time : Tick(0);
    return save_lines(spared_writes) * (read + technology.write_time);
  }

  // Declares the fields under "media.".
  void declare(ParameterSet& set);
  void check(Bytes capacity, std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
