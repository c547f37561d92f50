// SPDX-License-Identifier: BSD-3-Clause
// What the parts of a job report to it, and change of its threads' states.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/node/job_threads.h"
#include "core/types.h"

namespace hmsim {

class JobControl {
 public:
  virtual ~JobControl() = default;
  // Moves the thread to a state other than ready and running.
  virtual void enter(std::uint32_t thread, ThreadState state, Tick now) = 0;
  // Queues the thread for a core. `woken`: it was asleep.
  virtual void make_ready(std::uint32_t thread, bool woken, Tick now) = 0;
  // A message has arrived, and wakes the thread, if one waited for it.
  virtual void message_arrived(std::optional<std::uint32_t> woken, Tick now) = 0;
  // A request of the job's storage device has ended.
  virtual void request_ended() = 0;
  // A transfer that no thread sleeps for has ended, or a flusher has nothing left to write.
  virtual void less_to_do(Tick now) = 0;
  // Whether statistics of block I/O still count: the job has not finished yet.
  virtual bool measures_io() const = 0;
};

}  // namespace hmsim
