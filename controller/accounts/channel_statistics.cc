// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/channel_statistics.h"

#include <utility>

namespace hmsim {

void ChannelStatistics::fold(Tick clock_period) {
  for (LatencyHistogram* latency : {&dram_read_latency, &dram_write_latency, &nvdimm_line_latency,
                                    &device.dram_read, &device.dram_write, &device.nvdimm_line}) {
    latency->fold(clock_period);
  }
}

// Behind a link, its far end counts the latency that the requester sees.
void ChannelStatistics::finished_behind(const Request& request, LatencyHistogram& seen, Tick now,
                                        const WholeCycles& clock) {
  LatencyHistogram& own = &seen == &nvdimm_line_latency  ? device.nvdimm_line
                          : &seen == &dram_write_latency ? device.dram_write
                                                         : device.dram_read;
  own.add(now - request.entered, clock);
  if (device.front == Front::queue) {
    seen.add(now - request.arrival, clock);
  }
}

// Resets the counters; slots currently held stay held.
void ChannelStatistics::reset(Tick now) {
  Occupancy dram = std::move(dram_occupancy);
  Occupancy nvdimm = std::move(nvdimm_occupancy);
  const Front front = device.front;
  *this = ChannelStatistics(0);
  device.front = front;
  dram_occupancy = std::move(dram);
  nvdimm_occupancy = std::move(nvdimm);
  dram_occupancy.reset(now);
  nvdimm_occupancy.reset(now);
}

}  // namespace hmsim
