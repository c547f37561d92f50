// SPDX-License-Identifier: BSD-3-Clause
// A writer of gem5's packet traces, byte by byte: its header and packets, which are protocol-buffer
// messages.
#pragma once

#include <cstdint>
#include <string>

namespace hmsim::testing {

// Packet commands of gem5 24.0.
inline constexpr std::uint64_t kReadReq = 1;
inline constexpr std::uint64_t kWriteReq = 4;
inline constexpr std::uint64_t kWritebackDirty = 7;
inline constexpr std::uint64_t kCleanEvict = 10;
inline constexpr std::uint64_t kReadExReq = 22;

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value > 127; value >>= 7) {
    text += static_cast<char>(value | 128);
  }
  return text + static_cast<char>(value);
}
inline std::string number(std::uint64_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
inline std::string bytes(std::uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
inline std::string message(const std::string& content) { return varint(content.size()) + content; }

inline std::string header(std::uint64_t frequency = 1'000'000'000'000) {
  return "gem5" + message(bytes(1, "system.monitor") + number(2, 0) + number(3, frequency) +
                          bytes(4, number(1, 0) + bytes(2, "cpu.data")));
}
inline std::string packet(std::uint64_t tick, std::uint64_t command, std::uint64_t address,
                          std::uint64_t size) {
  return message(number(1, tick) + number(2, command) + number(3, address) + number(4, size) +
                 number(5, 256) + number(6, 7) + number(7, 0x400000));
}

}  // namespace hmsim::testing
