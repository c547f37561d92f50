// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM pages that a trace with causes shows as written before a stretch of it.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/record_tape.h"

namespace hmsim {

// Finds the pages written before the stretch that follows the first `skip` instructions of all
// vCPUs: each page once, most recent first, at most 2^22 of them. Reads the blocks before the
// stretch, or, if the trace has an index, only the index and the block in which the stretch begins.
// Throws InputError.
std::vector<std::uint64_t> pages_written_before(RecordTape& tape, std::uint64_t skip);

}  // namespace hmsim
