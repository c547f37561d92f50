// SPDX-License-Identifier: BSD-3-Clause
// Packets of gem5 in the plainest form, which nearly all of a long trace have, read in one go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hmsim {

// What a packet of gem5's says (its src/proto/packet.proto), as far as a trace of requests asks.
struct Packet {
  std::uint64_t tick = 0;
  std::uint64_t command = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes
  std::uint64_t id = 0;    // 0 where there is none
};

// The numbers of its fields. Tick, command, address and size are always there.
enum class PacketField : std::uint8_t { tick = 1, command, address, size, flags, id, pc };

// Reads a message of protocol buffers where it stands: its length in one byte, then fields that are
// numbers, each once and in ascending order, as gem5 writes them. Whatever else there is, it
// refuses; Gem5Trace then reads the message, or says what is wrong with it.
class PlainPacket {
 public:
  static constexpr std::size_t kMost = 63;  // bytes of a message
  static constexpr int kLongest = 8;        // bytes of a number that anybody asks for
  // Bytes that must stand there: the last number may end behind the message, which is then refused.
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

  std::size_t length() const { return static_cast<std::size_t>(at_ - start_); }  // that was read

 private:
  std::uint8_t byte() const { return static_cast<std::uint8_t>(*at_); }
  // A field's key: its number before the three bits of its type, which is 0 for numbers.
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
  // A number of at most kLongest bytes: seven bits in each, the lowest first, and the eighth bit
  // says that more follow.
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
  // A field that may be missing, and that nobody asks for.
  bool passed_over(PacketField field) {
    if (!has(field)) {
      return true;
    }
    ++at_;
    constexpr int kAll = 10;  // bytes of a number of 64 bits
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
