// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one FTL and its garbage collector.
#pragma once

#include <vector>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

class FlashArray;
class Ftl;

struct FtlStatistics {
  Counter host_pages = 0;    // programmed
  Counter gc_pages = 0;      // programmed, including wear levelling
  Counter map_pages = 0;     // programmed translation pages of a cached map
  Counter merged_pages = 0;  // reprogrammed together with another page of the host
  Counter padded_pages = 0;  // programmed without data to fill a flash page
  Counter levelled_blocks = 0;
  Counter trimmed_pages = 0;  // only those that were mapped
  Counter cached_pages = 0;   // of host_pages: programmed in the SLC cache
  Counter folded_pages = 0;   // programmed to move them out of it; not in gc_pages
  Counter folds = 0;          // blocks of the SLC cache that were emptied; not in gc_count

  Counter gc_count = 0;
  Counter gc_deferred = 0;    // times that collection yielded to the host
  Counter gc_urgent = 0;      // scheduler refusals that were overruled
  Counter gc_early = 0;       // collections that began before they were due
  Counter gc_cached = 0;      // copied pages that served requests directly
  Counter gc_prefetches = 0;  // page reads for requests that an erase waited for
  Histogram gc_duration;      // ps
  Histogram gc_valid_pages;
  Histogram gc_overlapped_ack;  // ps; commands with a collection between arrival and ack

  void serialize(Archive& archive);  // all fields, as the tables in ftl_statistics.cc list them
};

// Registers the statistics of the FTLs, combined, and what their arrays count for the collector.
void register_ftl_statistics(StatisticRegistry& registry, const std::vector<Ftl*>& ftls,
                             const std::vector<FlashArray*>& arrays);

}  // namespace hmsim
