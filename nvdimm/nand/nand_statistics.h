// SPDX-License-Identifier: BSD-3-Clause
// Counters of one flash array.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

class FlashArray;

struct NandStatistics {
  NandStatistics(std::int64_t luns, std::int64_t channels)
      : busy_luns(luns), busy_buses(channels) {}

  Counter gc_blocked_ps = 0;   // of commands that wait at locked LUNs, summed over them
  Counter gc_suspensions = 0;  // of programs and erases of collections, for reads
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
  Tick since{0};  // when counting began
  Occupancy busy_luns;
  Occupancy busy_buses;

  void serialize(Archive& archive);  // all fields, as the table in nand_statistics.cc lists them

  // Starts afresh at `now`; what is busy stays busy.
  void reset(Tick now);
};

// Reads the arrays as one. gc_blocked_ps and gc_suspensions are reported with the collector's.
void register_nand_statistics(StatisticRegistry& registry, const std::vector<FlashArray*>& arrays);

}  // namespace hmsim
