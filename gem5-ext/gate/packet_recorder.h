// SPDX-License-Identifier: BSD-3-Clause
// Writes what a gate took as a gem5 packet trace: the magic number "gem5", then messages of
// protocol buffers, each behind its length (gem5, src/proto/packet.proto). Ticks are picoseconds of
// the gate's time, addresses system addresses (DRAM from 0, the NVDIMM behind it), ids sources. The
// first packet is none, at tick 0: readers count from it.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "gem5-ext/gate/memory_gate.h"

namespace hmsim {

class PacketRecorder {
 public:
  // `out` is binary and must outlive the recorder; `name`: of what recorded.
  PacketRecorder(std::ostream& out, const std::string& name);

  // `nvdimm_base`: the system address of the NVDIMM's first byte.
  void record(const GatePacket& packet, Tick time, Address nvdimm_base);

 private:
  void write(const std::string& message);

  std::ostream& out_;
};

}  // namespace hmsim
