// SPDX-License-Identifier: BSD-3-Clause
// Energy of flash chips: the current of each kind of work x supply x time (NANDFlashSim).
#pragma once

#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"
#include "nvdimm/nand/nand_statistics.h"

namespace hmsim {

// Joules.
struct NandEnergy {
  double read = 0;
  double program = 0;
  double erase = 0;
  double bus = 0;
  double standby = 0;
  double total = 0;
};

double seconds(Tick time);

// Of an array of `luns`, since the statistics began. What the cells have begun counts in full.
NandEnergy nand_energy(const NandEnergyParameters& parameters, std::int64_t luns,
                       const NandStatistics& statistics, Tick now);

}  // namespace hmsim
