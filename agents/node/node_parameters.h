// SPDX-License-Identifier: BSD-3-Clause
// A node as programs see it: how its cores share threads, and who moves what between memory and
// the NVDIMM.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

enum class Machine { table3, marss, prefetch, dma };

// Who copies the lines of a transfer: the core that runs the thread, or an engine beside the cores
// while the thread sleeps.
enum class CopyEngine { core, dma };

// What a thread that wakes does where no core is free: it takes one, or waits with those that were
// asleep before it.
enum class WakeUp { preempts, queues };

// The stream prefetcher of each core.
struct PrefetchParameters {
  std::int64_t degree = 0;     // lines that a miss of a stream asks for; 0: there is no prefetcher
  std::int64_t distance = 20;  // lines that it asks for lie this far ahead at most
  std::int64_t training = 3;   // lines of a run that make it a stream
  std::int64_t streams = 32;   // pages whose misses are followed
  std::int64_t mshrs = 48;     // lines that are on their way
  std::int64_t buffers = 256;  // these, and lines that are here and untaken

  void declare(ParameterSet& parameters);
};

struct NodeParameters {
  Machine machine = Machine::table3;  // as which the others began
  CopyEngine engine = CopyEngine::core;
  std::int64_t mshrs = 10;  // loads in flight of a core
  PrefetchParameters prefetch;
  std::int64_t copy_instructions = 24;  // a line that a core copies
  std::int64_t dma_lines = 256;         // of one transfer outstanding at a time
  Persistence persistence = Persistence::controller;
  WakeUp wake = WakeUp::preempts;
  Tick quantum = 3'000 * kMicrosecond;
  Tick switch_time = 2 * kMicrosecond;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
};

}  // namespace hmsim
