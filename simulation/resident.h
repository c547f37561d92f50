// SPDX-License-Identifier: BSD-3-Clause
// nvdimm.precondition.buffer: resident, the best case: the buffers hold, from the start, the pages
// that the agents will read.
#pragma once

#include <vector>

#include "agents/frontend_parameters.h"
#include "controller/memory_system.h"
#include "core/parameters.h"
#include "traces/trace_reader.h"

namespace hmsim {

struct ResidentRun {
  const std::vector<Assignments>& agents;  // their keys, which are right
  const FrontendParameters& frontend;
  TraceSource source;
  std::uint64_t seed;
  bool to_limits;  // the agents' limits count from time 0
};

// Before any request. The pages are those that agents made for this alone tell. Agents take turns:
// first the pages that each of them reads first, then the second ones, and so on.
void hold_what_is_read(MemorySystem& memory, const ResidentRun& run);

}  // namespace hmsim
