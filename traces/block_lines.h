// SPDX-License-Identifier: BSD-3-Clause
// Checks and conversions that the text formats of block traces share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

// What is wrong with a request of so many sectors, "": nothing: it has none, is too long, or lies
// where no device has any: past 2^63 bytes, the largest offset that Linux knows (off_t).
std::string sectors_fault(std::uint64_t first, std::uint64_t sectors);

// Throws InputError for the present line when something is.
void check_sectors(const TextTrace& line, std::uint64_t first, std::uint64_t sectors);

// The sectors that hold `bytes` bytes from `offset` on, checked.
void set_extent(const TextTrace& line, std::uint64_t offset, std::uint64_t bytes,
                BlockRequest& request);

// Text of the line that counts units of so many nanoseconds, in nanoseconds. Throws InputError when
// these do not fit 64 bits.
std::uint64_t scaled_time(const TextTrace& line, std::string_view text, const char* what,
                          std::uint64_t nanoseconds);

// The number of a device of Linux, whose requests have one number in all formats that tell it so.
constexpr std::uint64_t joined_device(std::uint64_t major, std::uint64_t minor) {
  return major * 256 + minor;
}
// The same of two texts of the line.
std::uint64_t device_number(const TextTrace& line, std::string_view major, std::string_view minor);

// The request took so long on the device that was traced. Throws InputError when it would end past
// 64 bits.
void set_response(const TextTrace& line, std::uint64_t nanoseconds, BlockRequest& request);

}  // namespace hmsim
