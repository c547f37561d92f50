// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the DRAM energy of all channels.
#pragma once

#include <vector>

#include "core/statistics.h"

namespace hmsim {

class MemoryChannel;

// Precondition: every channel has an EnergyMeter.
void register_energy_statistics(StatisticRegistry& registry,
                                const std::vector<MemoryChannel*>& channels);

}  // namespace hmsim
