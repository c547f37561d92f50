// SPDX-License-Identifier: BSD-3-Clause
// What a job has on one of its nodes: cores, the way to memory, and what waits for its flushers
// there.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/node/job_io.h"
#include "agents/node/node.h"
#include "agents/node/write_back.h"
#include "core/request.h"

namespace hmsim {

struct JobSite {
  std::int64_t number = 0;  // of the node
  Node* node = nullptr;
  MemoryPort* port = nullptr;
  Bytes blocks{0};         // capacity of the NVDIMM there, or of the storage
  std::uint16_t job = 0;   // its own number among the node's jobs
  std::int64_t core = 0;   // for which lines are sent that no core sends: the first one there
  std::int64_t tasks = 0;  // among which its memory is divided
  WriteBack write_back;
  std::unique_ptr<JobIo> io;
};

}  // namespace hmsim
