// SPDX-License-Identifier: BSD-3-Clause
// Observer of a node's threads. It must not affect the simulation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/node/job_threads.h"
#include "core/types.h"

namespace hmsim {

// Thread of a job, on any node.
struct SeenThread {
  std::size_t agent = 0;  // position of its job in the workload
  std::uint32_t thread = 0;
};

class ThreadObserver {
 public:
  virtual ~ThreadObserver() = default;
  // The thread runs on core number `core` from `now` on.
  virtual void on_run(const SeenThread& thread, std::int64_t core, Tick now) = 0;
  // The thread enters a state other than running.
  virtual void on_state(const SeenThread& thread, ThreadState state, Tick now) = 0;
  // The running thread copies lines from `begin` to `end`, which may be one slot in the future.
  // Intervals of a thread are disjoint and in time order.
  virtual void on_copy(const SeenThread& thread, Tick begin, Tick end) = 0;
};

}  // namespace hmsim
