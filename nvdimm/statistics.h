// SPDX-License-Identifier: BSD-3-Clause
// What one NVDIMM counts.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

struct NvdimmStatistics {
  NvdimmStatistics(std::int64_t luns, std::int64_t channels)
      : busy_luns(luns), busy_buses(channels) {}

  // Lookups. A hit found the line (read), or the page or item (write), in the buffer. A merged one
  // found it on its way: being read from flash, waiting for a frame, or being evicted (write).
  Counter read_lookups = 0;
  Counter read_hits = 0;
  Counter read_merged = 0;
  Counter write_lookups = 0;
  Counter write_hits = 0;
  Counter write_merged = 0;
  Counter unmapped_reads = 0;  // answered without flash; no lookups
  Counter evictions = 0;       // pages
  Counter eviction_reads = 0;  // page reads that completed one

  Counter prefetches = 0;       // pages, or items, ...
  Counter prefetch_useful = 0;  // ... that were there when a read first asked for them,
  Counter prefetch_late = 0;    // ... or still on their way,
  Counter prefetch_unused = 0;  // ... or gone before
  Counter preevictions = 0;     // of the evictions, those before a write needed a frame
  Counter flushed_pages = 0;    // of the evictions, those because of a flush

  Counter host_pages = 0;    // programmed
  Counter gc_pages = 0;      // programmed, those of wear levelling included
  Counter map_pages = 0;     // programmed: translation pages of a cached map
  Counter merged_pages = 0;  // programmed again along with another page of the host
  Counter padded_pages = 0;  // programmed without data, where a flash page was not full
  Counter levelled_blocks = 0;
  Counter trimmed_pages = 0;  // mapped ones

  Counter gc_count = 0;
  Counter gc_blocked_ps = 0;
  Counter gc_deferred = 0;     // times that collection gave way to the host
  Counter gc_urgent = 0;       // refusals of the scheduler that did not count
  Counter gc_early = 0;        // collections that began before they were due
  Counter gc_cached = 0;       // pages that collection copied, given to requests at once
  Counter gc_suspensions = 0;  // of its programs and erases, for reads
  Counter gc_prefetches = 0;   // page reads for requests that an erase waited for
  Histogram gc_duration;       // ps
  Histogram gc_valid_pages;
  Histogram gc_overlapped_ack;  // ps; of commands between whose arrival and ack a collection was

  Counter page_reads = 0;
  Counter page_programs = 0;
  Counter block_erases = 0;
  Counter multi_plane_operations = 0;
  Counter cache_operations = 0;  // whose cells began while an earlier one's data moved
  Counter suspensions = 0;
  Counter bus_wait_ps = 0;  // of LUNs, for their channels
  Counter program_failures = 0;
  Counter erase_failures = 0;
  Counter read_retries = 0;
  Counter read_cells_ps = 0;  // of planes
  Counter program_cells_ps = 0;
  Counter erase_cells_ps = 0;
  Tick since{0};  // when this began to count
  Occupancy busy_luns;
  Occupancy busy_buses;

  void serialize(Archive& archive);  // what the table in statistics.cc lists: all of it

  // Starts afresh at `now`; what is busy stays busy.
  void reset(Tick now);
};

}  // namespace hmsim
