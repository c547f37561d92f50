// SPDX-License-Identifier: BSD-3-Clause
// Statistics of each channel, in a memory system that has several.
#pragma once

#include <vector>

#include "controller/channel_set.h"
#include "controller/config/system_config.h"
#include "core/statistics.h"

namespace hmsim {

class SlowMemory;

// Registers a few statistics of each channel beside their sums, as dram.channel.N and
// nvdimm.channel.N, and the imbalance of each class. Registers nothing for a single channel. The
// sums of all channels must be registered, too. `slow`: by channel, or empty.
void register_each_channel(StatisticRegistry& registry, const ChannelSet& channels,
                           const std::vector<SlowMemory*>& slow, const SystemConfig& config);

}  // namespace hmsim
