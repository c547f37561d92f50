// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one synchronisation buffer.
#pragma once

#include <vector>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

class SyncBuffer;

struct BufferStatistics {
  // Lookups. Hit: the line (read), or the page or item (write), was in the buffer. Merged: it was
  // on its way, that is, being read from flash, waiting for a frame, or being evicted (write).
  Counter read_lookups = 0;  // commands
  Counter read_lines = 0;    // of these commands, which may be for several lines of a page
  Counter read_hits = 0;
  Counter read_merged = 0;
  Counter read_joined = 0;  // of the merged ones, those that joined another item's read
  Counter write_lookups = 0;
  Counter write_lines = 0;
  Counter write_hits = 0;
  Counter write_merged = 0;
  Counter unmapped_reads = 0;  // served without flash; not counted as lookups
  Counter evictions = 0;       // pages
  Counter eviction_reads = 0;  // page reads to complete an eviction

  Counter prefetches = 0;       // pages, or items
  Counter prefetch_useful = 0;  // of these, those in the buffer when a read first asked for them
  Counter prefetch_late = 0;    // of these, those still on their way then
  Counter prefetch_unused = 0;  // of these, those released before any read asked for them
  Counter preevictions = 0;     // of the evictions, those before a write needed a frame
  Counter flushed_pages = 0;    // of the evictions, those for a flush

  Counter read_reused = 0;   // of the hits, those of a line that its page's own read did not bring
  Counter read_missing = 0;  // reads that began a flash read
  Counter write_reused = 0;  // of the hits, those that overwrote a line

  void serialize(Archive& archive);  // all fields, as the table in buffer_statistics.cc lists them
};

// Registers the statistics of the buffers, combined.
void register_buffer_statistics(StatisticRegistry& registry,
                                const std::vector<SyncBuffer*>& buffers);

}  // namespace hmsim
