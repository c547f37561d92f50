// SPDX-License-Identifier: BSD-3-Clause
// Checks and conversions shared by the text formats of block traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Returns the error of a request of `sectors` sectors, or "" if it is valid. A request must not be
// empty or too long, or extend past 2^63 bytes, the largest offset that Linux supports (off_t).
std::string sectors_fault(std::uint64_t first, std::uint64_t sectors);

inline bool sectors_fit(std::uint64_t first, std::uint64_t sectors) {
  return sectors - 1 < kMaxSectors && first <= kMaxSectors - sectors;
}

// Throws RecordError for the present line if sectors_fault() finds a fault: EmptyRequestError for a
// request of 0 sectors.
void check_sectors(const TextTrace& line, std::uint64_t first, std::uint64_t sectors);

// Sets the request's sectors to those that hold `bytes` bytes from `offset`, and checks them.
void set_extent(const TextTrace& line, std::uint64_t offset, std::uint64_t bytes,
                BlockRequest& request);

// Converts a time in the line to nanoseconds; its unit is `nanoseconds` long. Throws InputError if
// the result does not fit 64 bits.
std::uint64_t scaled_time(const TextTrace& line, std::string_view text, const char* what,
                          std::uint64_t nanoseconds);

// Returns the number of a Linux device. All formats that give major and minor numbers use it.
constexpr std::uint64_t joined_device(std::uint64_t major, std::uint64_t minor) {
  return major * 256 + minor;
}
// Returns joined_device() of two numbers given as text of the line.
std::uint64_t device_number(const TextTrace& line, std::string_view major, std::string_view minor);

// Sets the completion time from the response time measured on the traced device. Throws InputError
// if the completion time does not fit 64 bits.
void set_response(const TextTrace& line, std::uint64_t nanoseconds, BlockRequest& request);

}  // namespace hmsim
