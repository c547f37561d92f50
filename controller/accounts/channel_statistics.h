// SPDX-License-Identifier: BSD-3-Clause
// Counts of one channel, and their combined report for all channels of a system.
#pragma once

#include <vector>

#include "controller/accounts/latency_histogram.h"
#include "core/statistics.h"

namespace hmsim {

class MemoryChannel;

struct ChannelStatistics {
  explicit ChannelStatistics(std::int64_t slots) : dram_occupancy(slots), nvdimm_occupancy(slots) {}

  Counter dram_reads = 0;
  Counter dram_writes = 0;
  Counter nvdimm_reads = 0;
  Counter nvdimm_writes = 0;
  Counter activates = 0;
  Counter precharges = 0;
  Counter refreshes = 0;
  Counter power_downs = 0;
  Counter self_refreshes = 0;
  Counter row_hits = 0;
  Counter command_cycles = 0;
  Counter ack_cycles = 0;
  Counter dram_data_cycles = 0;
  Counter nvdimm_data_cycles = 0;
  Counter turnarounds = 0;
  Counter dram_wins = 0;
  Counter nvdimm_wins = 0;
  LatencyHistogram dram_read_latency;  // from arrival at the controller to last data beat
  LatencyHistogram dram_write_latency;
  LatencyHistogram nvdimm_line_latency;
  Occupancy dram_occupancy;  // slots held
  Occupancy nvdimm_occupancy;

  void fold(Tick clock_period);  // moves all values into the histograms
  void reset(Tick now);
  void serialize(Archive& archive);  // folds first
};

// Registers DRAM statistics, and those of NVDIMM and bus if the channels account for their bus.
// DRAM is on the first `of_class` channels, the NVDIMMs are on the last `of_class`, and the first
// `on_bus` have a memory bus.
void register_channel_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& channels, std::int64_t of_class,
                                 std::int64_t on_bus);

}  // namespace hmsim
