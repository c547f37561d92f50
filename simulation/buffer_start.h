// SPDX-License-Identifier: BSD-3-Clause
// Preconditioning of NVDIMM buffers from the agents' sources (nvdimm.precondition.buffer).
// resident: the pages that agents will read, the best case. captured: the pages written last before
// captured jobs began.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/frontend_parameters.h"
#include "controller/memory_system.h"
#include "core/parameters.h"
#include "nvdimm/parameters.h"
#include "traces/trace_reader.h"

namespace hmsim {

// Returns whether the page is among the share of pages that start in the buffer. A hash of seed and
// page decides, so a larger share includes the pages of a smaller one. `page`: number in the whole
// NVDIMM memory.
bool starts_resident(std::int64_t page, double share, std::uint64_t seed);

struct BufferStart {
  const PreconditionParameters& wanted;    // resident pages or captured ones
  const std::vector<Assignments>& agents;  // valid keys, by agent
  const FrontendParameters& frontend;
  TraceSource source;
  std::uint64_t seed;
  bool to_limits;  // the agents' limits count from time 0
};

// Fills the buffers. Call before any request. Finds the pages with temporary agents made from the
// keys. Takes pages in rounds: the first page of each agent, then the second of each, and so on.
// Throws InputError if no agent can supply pages.
void fill_buffers(MemorySystem& memory, const BufferStart& start);

}  // namespace hmsim
