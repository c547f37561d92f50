// SPDX-License-Identifier: BSD-3-Clause
// Checks and conversions that the text formats of block traces share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Throws InputError for the present line when a request of so many sectors cannot be, or lies where
// no device has any: past 2^63 bytes, the largest offset that Linux knows (off_t).
void check_sectors(const TextTrace& line, std::uint64_t first, std::uint64_t sectors);

// The sectors that hold `bytes` bytes from `offset` on, checked.
void set_extent(const TextTrace& line, std::uint64_t offset, std::uint64_t bytes,
                BlockRequest& request);

// A field that counts units of so many nanoseconds, in nanoseconds. Throws InputError when these do
// not fit 64 bits.
std::uint64_t scaled_time(const TextTrace& line, std::size_t field, const char* what,
                          std::uint64_t nanoseconds);

// The request took so long on the device that was traced. Throws InputError when it would end past
// 64 bits.
void set_response(const TextTrace& line, std::uint64_t nanoseconds, BlockRequest& request);

}  // namespace hmsim
