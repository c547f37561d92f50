// SPDX-License-Identifier: BSD-3-Clause
// Two views of the packets of a gate: the host simulator's, in its own time, and the memory
// simulator's. Compares them packet by packet (gem5-ext/README.md). Observes only.
//
// The host reports when it hands a packet over and when it gets it back. The channels' accounts
// report each line. A packet of several lines lasts from their first entry to their last data beat.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "controller/channel/dram_backend.h"
#include "embed/memory_gate.h"

namespace hmsim {

class PacketViews final : public LineObserver {
 public:
  using Values = std::vector<std::pair<std::string, std::int64_t>>;

  // Throws InputError if the channels' accounts do not have the whole time of each request.
  explicit PacketViews(const SystemConfig& system) { require_request_times("views", system); }

  // Starts the measured window. Packets in flight keep their first times.
  void begin(Tick now);

  // Host: the gate took the packet; the packet is done.
  void taken(const GatePacket& packet, Tick now);
  void done(std::uint64_t id, Tick now);

  void on_line(std::uint64_t id, const RequestRecord& record, Tick shift) override;

  // All sums by name. Times are in picoseconds. lines(): one line "name=value" each.
  Values values(Tick now) const;
  std::string lines(Tick now) const;

 private:
  struct Flight {
    Tick taken{0};
    bool write = false;
    std::int64_t bytes = 0;
    std::int64_t lines = 0;  // not reported yet
    Tick admitted = kNever;  // first line
    Tick last{0};            // last data beat
  };
  struct Sums {  // of reads or writes
    std::int64_t packets = 0;
    std::int64_t bytes = 0;
    std::int64_t lines = 0;
    Tick interface { 0 };  // latencies
    Tick simulator{0};
  };

  void differ(Tick difference);

  Tick begin_{0};
  std::unordered_map<std::uint64_t, Flight> flights_;  // by packet
  std::array<Sums, 2> sums_;                           // reads, writes
  Tick area_{0};                                       // integral of the packets in flight
  Tick before_{0};                                     // their time before the window
  Tick admission_{0};                                  // from taken to the first line's entry
  Tick residue_{0};                                    // differences of times
  std::int64_t differing_ = 0;                         // times that differ
  std::int64_t disordered_ = 0;                        // packets whose times are not in order
  std::int64_t unseen_ = 0;                            // packets or lines that a view did not see
};

}  // namespace hmsim
