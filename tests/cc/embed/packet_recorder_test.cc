// SPDX-License-Identifier: BSD-3-Clause
#include "embed/packet_recorder.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string_view>

namespace hmsim {

namespace {

// Byte for byte in the protocol-buffer encoding: tag = field x 8 + wire type, varints of seven
// bits, lowest first.
TEST(PacketRecorder, WritesGem5sPackets) {
  std::ostringstream out;
  PacketRecorder recorder(out, "mc");
  GatePacket packet;
  packet.address = Address(0x80);
  packet.write = true;
  packet.source = 3;
  recorder.record(packet, Tick(300), Address(0x10000));
  packet.memory = MemoryClass::nvdimm;
  packet.write = false;
  recorder.record(packet, Tick(301), Address(0x10000));
  using namespace std::string_view_literals;
  // 10^12 = 0xE8D4A51000.
  EXPECT_EQ(out.str(),
            "gem5"
            "\x0D\x0A\x02mc\x10\x00\x18\x80\xA0\x94\xA5\x8D\x1D"
            "\x08\x08\x00\x10\x00\x18\x00\x20\x00"
            "\x0C\x08\xAC\x02\x10\x04\x18\x80\x01\x20\x40\x30\x03"
            "\x0D\x08\xAD\x02\x10\x01\x18\x80\x81\x04\x20\x40\x30\x03"sv);
}

}  // namespace

}  // namespace hmsim
