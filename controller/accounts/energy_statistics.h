// SPDX-License-Identifier: BSD-3-Clause
// How the energy of all channels' DRAM is reported.
#pragma once

#include <vector>

#include "core/statistics.h"

namespace hmsim {

class MemoryChannel;

// Of channels that measure it.
void register_energy_statistics(StatisticRegistry& registry,
                                const std::vector<MemoryChannel*>& channels);

}  // namespace hmsim
