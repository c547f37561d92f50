// SPDX-License-Identifier: BSD-3-Clause
// Node as seen by programs: how its cores share threads, and what moves data between memory and the
// NVDIMM.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

enum class Machine { table3, marss, prefetch, dma };

// Copier of a transfer's lines: the core that runs the thread, or an engine beside the cores
// while the thread sleeps.
enum class CopyEngine { core, dma };

// Behaviour of a thread that wakes when no core is free: it preempts another thread, or queues
// after the threads that were woken earlier.
enum class WakeUp { preempts, queues };

// Stream prefetcher of each core.
struct PrefetchParameters {
  std::int64_t degree = 0;     // lines requested per miss of a stream; 0: no prefetcher
  std::int64_t distance = 20;  // most lines that a request is ahead of the miss
  std::int64_t training = 3;   // lines in a run that make it a stream
  std::int64_t streams = 32;   // pages whose misses are tracked
  std::int64_t mshrs = 48;     // lines in flight
  std::int64_t buffers = 256;  // lines in flight, or present and untaken

  void declare(ParameterSet& parameters);
};

struct NodeParameters {
  Machine machine = Machine::table3;  // preset of the other fields
  CopyEngine engine = CopyEngine::core;
  std::int64_t mshrs = 10;  // loads in flight per core
  PrefetchParameters prefetch;
  std::int64_t copy_instructions = 24;  // per line that a core copies
  std::int64_t dma_lines = 256;         // lines of one transfer outstanding at a time
  Persistence persistence = Persistence::controller;
  WakeUp wake = WakeUp::preempts;
  Tick quantum = 3'000 * kMicrosecond;
  Tick switch_time = 2 * kMicrosecond;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
};

}  // namespace hmsim
