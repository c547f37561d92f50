// SPDX-License-Identifier: BSD-3-Clause
// Writes the packets that a gate took as a gem5 packet trace: the magic number "gem5", then
// protocol-buffer messages, each preceded by its length (gem5, src/proto/packet.proto). Ticks are
// picoseconds of gate time. Addresses are system addresses (DRAM from 0, then the NVDIMM). Ids are
// sources. The first packet, at tick 0, has no request: it sets the origin from which readers
// count.
#pragma once

#include <ostream>
#include <string>

#include "embed/memory_gate.h"

namespace hmsim {

class PacketRecorder {
 public:
  // `out` must be binary and outlive the recorder. `name` identifies the recording object.
  PacketRecorder(std::ostream& out, const std::string& name);

  // `nvdimm_base` is the system address of the NVDIMM's first byte.
  void record(const GatePacket& packet, Tick time, Address nvdimm_base);

 private:
  void write(const std::string& message);

  std::ostream& out_;
};

}  // namespace hmsim
