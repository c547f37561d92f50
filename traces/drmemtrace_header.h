// SPDX-License-Identifier: BSD-3-Clause
// First record of a DynamoRIO trace, by which it is recognised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traces/trace_reader.h"

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
      : type(little_endian(bytes.substr(0, 2))),
        size(little_endian(bytes.substr(2, 2))),
        value(little_endian(bytes.substr(4, 8))) {}
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
