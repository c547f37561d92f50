// SPDX-License-Identifier: BSD-3-Clause
// What one module of byte-addressable media counts.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

struct MediaStatistics {
  MediaStatistics(std::int64_t banks, std::int64_t entries) : busy_banks(banks), queue(entries) {}

  Counter reads = 0;          // lines, from the cells
  Counter writes = 0;         // lines, into the cells, for the host
  Counter queue_reads = 0;    // answered from the write queue
  Counter merged_writes = 0;  // whose line had an entry
  Counter queue_full = 0;     // writes that waited for an entry
  Counter gap_moves = 0;
  Counter gap_blocked_ps = 0;  // reads, summed over them
  Occupancy busy_banks;
  Occupancy queue;

  void serialize(Archive& archive);  // what the table in media_statistics.cc lists: all of it

  // Starts afresh at `now`; what is busy stays busy.
  void reset(Tick now);
};

}  // namespace hmsim
