// SPDX-License-Identifier: BSD-3-Clause
// Counts of one channel.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/accounts/latency_histogram.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/statistics.h"

namespace hmsim {

// Parts in front of a channel. `nothing`: requesters see the latencies of the channel. `queue`:
// requests waited in a host queue before they entered the channel. `link`: a port or an FTL, which
// counts the latencies that requesters see.
enum class Front : std::uint8_t { nothing, queue, link };

// Latencies as a channel sees them: from a request's arrival there (Request::entered) to its last
// data beat. Empty with Front::nothing, because they are then those that requesters see.
struct DeviceLatencies {
  LatencyHistogram dram_read;
  LatencyHistogram dram_write;
  LatencyHistogram nvdimm_line;
  Front front = Front::nothing;  // fixed

  void serialize(Archive& archive) { archive(dram_read, dram_write, nvdimm_line); }
};

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
  // As requesters see them: from Request::arrival at the host to the answer.
  LatencyHistogram dram_read_latency;
  LatencyHistogram dram_write_latency;
  LatencyHistogram nvdimm_line_latency;
  DeviceLatencies device;
  Occupancy dram_occupancy;  // slots held
  Occupancy nvdimm_occupancy;

  LatencyHistogram& latency_of(const Request& request) {
    return request.memory == MemoryClass::nvdimm ? nvdimm_line_latency
           : request.write                       ? dram_write_latency
                                                 : dram_read_latency;
  }
  // Counts the latency of a request whose last data beat passes now. `seen`: latency_of(request).
  void finished(const Request& request, LatencyHistogram& seen, Tick now,
                const WholeCycles& clock) {
    if (device.front == Front::nothing) {
      seen.add(now - request.arrival, clock);
    } else {
      finished_behind(request, seen, now, clock);
    }
  }

  void fold(Tick clock_period);  // moves all values into the histograms
  void reset(Tick now);
  // Folds first. Defined with the table, which lists all fields: channel/statistics_table.cc.
  void serialize(Archive& archive);

 private:
  void finished_behind(const Request& request, LatencyHistogram& seen, Tick now,
                       const WholeCycles& clock);
};

}  // namespace hmsim
