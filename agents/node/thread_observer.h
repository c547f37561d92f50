// SPDX-License-Identifier: BSD-3-Clause
// Whoever wants to know what the threads of a node do. Tells nothing back, and changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/node/job_threads.h"
#include "core/types.h"

namespace hmsim {

// A thread of a job, wherever it runs.
struct SeenThread {
  std::size_t agent = 0;  // its job's number in the workload
  std::uint32_t thread = 0;
};

class ThreadObserver {
 public:
  virtual ~ThreadObserver() = default;
  // The thread has the core of this number from `now` on.
  virtual void on_run(const SeenThread& thread, std::int64_t core, Tick now) = 0;
  // It enters a state other than running.
  virtual void on_state(const SeenThread& thread, ThreadState state, Tick now) = 0;
  // The thread that runs copies lines from `begin` to `end`, which may lie a slot past the present.
  // Times of one thread do not overlap, and come in their order.
  virtual void on_copy(const SeenThread& thread, Tick begin, Tick end) = 0;
};

}  // namespace hmsim
