// SPDX-License-Identifier: BSD-3-Clause
// Energy of flash chips: current of each kind of work x supply voltage x time (NANDFlashSim).
#pragma once

#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"
#include "nvdimm/nand/nand_statistics.h"

namespace hmsim {

// Energy by kind of work, in joules.
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

}  // namespace hmsim
