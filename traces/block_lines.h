// SPDX-License-Identifier: BSD-3-Clause
// Checks and conversions that the text formats of block traces share.
#pragma once

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

}  // namespace hmsim
