// SPDX-License-Identifier: BSD-3-Clause
// nvdimm.precondition.buffer, as far as it is the agents' sources that tell what the buffers hold
// at the start. resident: the pages that the agents will read, the best case. captured: those that
// were written last before captured jobs began.
#pragma once

#include <vector>

#include "agents/frontend_parameters.h"
#include "controller/memory_system.h"
#include "core/parameters.h"
#include "nvdimm/parameters.h"
#include "traces/trace_reader.h"

namespace hmsim {

struct BufferStart {
  PreconditionBuffer buffer;               // resident or captured
  const std::vector<Assignments>& agents;  // their keys, which are right
  const FrontendParameters& frontend;
  TraceSource source;
  std::uint64_t seed;
  bool to_limits;  // the agents' limits count from time 0
};

// Before any request. The pages are those that agents made for this alone tell. Agents take turns:
// first the pages that each of them tells first, then the second ones, and so on. Throws InputError
// where none can tell.
void fill_buffers(MemorySystem& memory, const BufferStart& start);

}  // namespace hmsim
