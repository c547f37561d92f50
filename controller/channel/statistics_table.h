// SPDX-License-Identifier: BSD-3-Clause
// The statistics of several channels together.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/memory_channel.h"
#include "core/statistics.h"

namespace hmsim {

// Registers DRAM statistics, and those of NVDIMM and bus if the channels account for their bus.
// DRAM is on the first `of_class` channels, the NVDIMMs are on the last `of_class`, and the first
// `on_bus` have a memory bus.
void register_channel_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& channels, std::int64_t of_class,
                                 std::int64_t on_bus);

// Registers the histograms of all parts of latencies, combined over all channels that have them.
void register_latency_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& channels);

}  // namespace hmsim
