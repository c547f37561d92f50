// SPDX-License-Identifier: BSD-3-Clause
// First record of a DynamoRIO trace, by which it is recognised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hmsim {

// A record of 12 bytes, little-endian and without padding.
struct DrmemtraceRecord {
  static constexpr std::size_t kBytes = 12;
  static constexpr std::uint64_t kHeader =
      25;  // type of the first record, whose value is a version

  std::uint64_t type = 0;
  std::uint64_t size = 0;   // of data or code; kind of a marker
  std::uint64_t value = 0;  // address, or a marker's value

  explicit DrmemtraceRecord(std::string_view bytes)
      : type(number(bytes, 0, 2)), size(number(bytes, 2, 2)), value(number(bytes, 4, 8)) {}

 private:
  static std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t length) {
    std::uint64_t value = 0;
    for (std::size_t i = length; i > 0; --i) {
      value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
    }
    return value;
  }
};

// Returns whether a trace begins with a header of a version below 2^16.
inline bool begins_with_drmemtrace_header(std::string_view bytes) {
  if (bytes.size() < DrmemtraceRecord::kBytes) {
    return false;
  }
  const DrmemtraceRecord first(bytes);
  return first.type == DrmemtraceRecord::kHeader && first.value > 0 && first.value < 1U << 16;
}

}  // namespace hmsim
