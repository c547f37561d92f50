// SPDX-License-Identifier: BSD-3-Clause
// Statistics and energy of one flash array.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class FlashArray;

struct NandStatistics {
  NandStatistics(std::int64_t luns, std::int64_t channels)
      : busy_luns(luns), busy_buses(channels) {}

  Counter gc_blocked_ps = 0;   // wait of commands at locked LUNs, summed over commands
  Counter gc_suspensions = 0;  // programs and erases of collections suspended for reads
  Counter page_reads = 0;      // senses
  Counter shared_reads = 0;    // reads that shared a sense
  Counter page_programs = 0;
  Counter block_erases = 0;
  Counter multi_plane_operations = 0;
  Counter cache_operations = 0;  // operations whose cells began while data of an earlier one moved
  Counter suspensions = 0;
  Counter bus_wait_ps = 0;  // wait of LUNs for their channels
  Counter program_failures = 0;
  Counter erase_failures = 0;
  Counter read_retries = 0;
  Counter read_cells_ps = 0;  // summed over planes
  Counter program_cells_ps = 0;
  Counter erase_cells_ps = 0;
  Tick since{0};  // when counting began
  Occupancy busy_luns;
  Occupancy busy_buses;

  void serialize(Archive& archive);  // all fields, as the table in nand_statistics.cc lists them

  // Resets the counters at `now`. LUNs and buses that are busy stay counted as busy.
  void reset(Tick now);
};

// Energy by kind of work, in joules: current x supply voltage x time (NANDFlashSim).
struct NandEnergy {
  double read = 0;
  double program = 0;
  double erase = 0;
  double bus = 0;
  double standby = 0;
  double total = 0;
};

// Returns the energy of an array of `luns` LUNs since the statistics began. Cell operations count
// in full when they begin.
NandEnergy nand_energy(const NandEnergyParameters& parameters, std::int64_t luns,
                       const NandStatistics& statistics, Tick now);

// Registers the statistics of the arrays, combined. The collector reports gc_blocked_ps and
// gc_suspensions.
void register_nand_statistics(StatisticRegistry& registry, const std::vector<FlashArray*>& arrays);

}  // namespace hmsim
