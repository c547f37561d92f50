// SPDX-License-Identifier: BSD-3-Clause
// Fast reader for gem5 packets in the plainest form, which nearly all packets of a long trace have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hmsim {

// Fields of a gem5 packet (its src/proto/packet.proto) that traces of requests use.
struct Packet {
  std::uint64_t tick = 0;
  std::uint64_t command = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes
  std::uint64_t id = 0;    // 0 if absent
};

// Field numbers. Tick, command, address and size are mandatory.
enum class PacketField : std::uint8_t { tick = 1, command, address, size, flags, id, pc };

// Reads a protocol-buffer message in place: a length of one byte, then numeric fields, each once
// and in ascending order, as gem5 writes them. Rejects anything else; Gem5Trace then reads the
// message or reports what is wrong.
class PlainPacket {
 public:
  static constexpr std::size_t kMost = 63;  // bytes of a message
  static constexpr int kLongest = 8;        // bytes of a number that is decoded
  // Bytes that must be readable. The last number may extend past the message, which is then
  // rejected.
  static constexpr std::size_t kText = 1 + kMost + kLongest;

  explicit PlainPacket(const char* text) : start_(text), at_(text) {}

  bool read(Packet& packet) {
    const std::size_t size = byte();
    ++at_;
    if (size > kMost) {
      return false;
    }
    end_ = at_ + size;
    packet.id = 0;
    return number(PacketField::tick, packet.tick) && number(PacketField::command, packet.command) &&
           number(PacketField::address, packet.address) && number(PacketField::size, packet.size) &&
           passed_over(PacketField::flags) &&
           (!has(PacketField::id) || number(PacketField::id, packet.id)) &&
           passed_over(PacketField::pc) && at_ == end_;
  }

  std::size_t length() const { return static_cast<std::size_t>(at_ - start_); }  // bytes read

 private:
  std::uint8_t byte() const { return static_cast<std::uint8_t>(*at_); }
  // Returns whether the next field is `field`. A key is the field number above three bits of wire
  // type, which is 0 for numbers.
  bool has(PacketField field) const {
    return at_ < end_ && byte() == static_cast<std::uint8_t>(field) << 3;
  }
  bool number(PacketField field, std::uint64_t& value) {
    if (!has(field)) {
      return false;
    }
    ++at_;
    return number(value);
  }
  // Reads a varint of at most kLongest bytes: seven bits per byte, lowest first; the eighth bit
  // marks continuation.
  bool number(std::uint64_t& value) {
    std::uint64_t sum = byte() & 0x7f;
#pragma GCC unroll 8
    for (int shift = 7; byte() > 0x7f; shift += 7) {
      if (shift == 7 * kLongest) {
        return false;
      }
      ++at_;
      sum |= std::uint64_t{byte() & 0x7fU} << shift;
    }
    ++at_;
    value = sum;
    return true;
  }
  // Skips a field that may be absent and is not used.
  bool passed_over(PacketField field) {
    if (!has(field)) {
      return true;
    }
    ++at_;
    constexpr int kAll = 10;  // bytes of a 64-bit varint
    for (int read = 0; read < kAll && at_ < end_; ++read) {
      if (static_cast<std::uint8_t>(*at_++) < 128) {
        return true;
      }
    }
    return false;
  }

  const char* start_;
  const char* at_;
  const char* end_ = nullptr;
};

}  // namespace hmsim
