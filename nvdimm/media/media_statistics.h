// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one module of byte-addressable media.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

struct MediaStatistics {
  MediaStatistics(std::int64_t banks, std::int64_t entries) : busy_banks(banks), queue(entries) {}

  Counter reads = 0;          // lines read from the cells
  Counter writes = 0;         // lines written to the cells for the host
  Counter queue_reads = 0;    // served from the write queue
  Counter merged_writes = 0;  // writes to a line that had an entry
  Counter queue_full = 0;     // writes that waited for an entry
  Counter gap_moves = 0;
  Counter gap_blocked_ps = 0;  // wait of reads, summed over reads
  // Only if media lines have several lines of the host:
  Counter buffer_reads = 0;   // served from a buffer of media lines
  Counter joined_reads = 0;   // ended by a read of their line for another one
  Counter buffer_writes = 0;  // moved to the combining buffer
  Counter updates = 0;        // of writes, those that read the line first
  Occupancy busy_banks;
  Occupancy queue;

  void serialize(Archive& archive);  // all fields, as the table in media_statistics.cc lists them

  // Resets the counters at `now`. Banks and entries that are busy stay counted as busy.
  void reset(Tick now);
};

}  // namespace hmsim
