// SPDX-License-Identifier: BSD-3-Clause
// Resources of a job on one of its nodes: cores, access to memory, and the data that wait for its
// flushers there.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/node/job_io.h"
#include "agents/node/node.h"
#include "agents/node/write_back.h"
#include "core/request.h"

namespace hmsim {

struct JobNode {
  std::int64_t number = 0;  // number of the node
  Node* node = nullptr;
  MemoryPort* port = nullptr;
  Bytes blocks{0};         // capacity of the node's NVDIMM or storage
  std::uint16_t job = 0;   // the job's number on the node
  std::int64_t core = 0;   // core named in requests that no core sends: its first one
  std::int64_t tasks = 0;  // tasks that divide the memory
  WriteBack write_back;
  std::unique_ptr<JobIo> io;
};

}  // namespace hmsim
