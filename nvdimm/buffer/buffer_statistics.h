// SPDX-License-Identifier: BSD-3-Clause
// Counters of one synchronisation buffer.
#pragma once

#include <vector>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

class SyncBuffer;

struct BufferStatistics {
  // Lookups. A hit found the line (read), or the page or item (write), in the buffer. A merged one
  // found it on its way: being read from flash, waiting for a frame, or being evicted (write).
  Counter read_lookups = 0;
  Counter read_hits = 0;
  Counter read_merged = 0;
  Counter read_joined = 0;  // of the merged ones: the line comes with another item of its page
  Counter write_lookups = 0;
  Counter write_hits = 0;
  Counter write_merged = 0;
  Counter unmapped_reads = 0;  // answered without flash; no lookups
  Counter evictions = 0;       // pages
  Counter eviction_reads = 0;  // page reads that completed one

  Counter prefetches = 0;       // pages, or items
  Counter prefetch_useful = 0;  // of these, in the buffer when a read first asked for them
  Counter prefetch_late = 0;    // of these, still on their way then
  Counter prefetch_unused = 0;  // of these, gone before any read asked
  Counter preevictions = 0;     // of the evictions, those before a write needed a frame
  Counter flushed_pages = 0;    // of the evictions, those because of a flush

  void serialize(Archive& archive);  // all fields, as the table in buffer_statistics.cc lists them
};

// Reads the buffers as one.
void register_buffer_statistics(StatisticRegistry& registry,
                                const std::vector<SyncBuffer*>& buffers);

}  // namespace hmsim
