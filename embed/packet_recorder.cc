// SPDX-License-Identifier: BSD-3-Clause
#include "embed/packet_recorder.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kNoRequest = 0;  // commands of gem5's MemCmd
constexpr std::uint64_t kReadRequest = 1;
constexpr std::uint64_t kWriteRequest = 4;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>((value & 0x7F) | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

std::string text(int field, const std::string& value) {
  return varint((static_cast<std::uint64_t>(field) << 3) | 2) + varint(value.size()) + value;
}

}  // namespace

PacketRecorder::PacketRecorder(std::ostream& out, const std::string& name) : out_(out) {
  out_ << "gem5";
  write(text(1, name) + number(2, 0) + number(3, static_cast<std::uint64_t>(kSecond.value())));
  write(number(1, 0) + number(2, kNoRequest) + number(3, 0) + number(4, 0));
}

void PacketRecorder::record(const GatePacket& packet, Tick time, Address nvdimm_base) {
  const Address base = packet.memory == MemoryClass::nvdimm ? nvdimm_base : Address(0);
  write(number(1, static_cast<std::uint64_t>(time.value())) +
        number(2, packet.write ? kWriteRequest : kReadRequest) +
        number(3, static_cast<std::uint64_t>((base + packet.address).value())) +
        number(4, static_cast<std::uint64_t>(packet.size)) + number(6, packet.source));
}

void PacketRecorder::write(const std::string& message) {
  out_ << varint(message.size()) << message;
}

}  // namespace hmsim
