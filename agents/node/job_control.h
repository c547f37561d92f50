// SPDX-License-Identifier: BSD-3-Clause
// Interface by which the parts of a job report to it and change its threads' states.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/node/job_threads.h"
#include "core/types.h"

namespace hmsim {

class JobControl {
 public:
  virtual ~JobControl() = default;
  // Moves the thread to a state other than running. Use make_ready() to queue it for a core.
  virtual void enter(std::uint32_t thread, ThreadState state, Tick now) = 0;
  // Queues the thread for a core. `woken`: it was asleep.
  virtual void make_ready(std::uint32_t thread, bool woken, Tick now) = 0;
  // Handles the arrival of a message, which wakes `woken` if a thread waited for it.
  virtual void message_arrived(std::optional<std::uint32_t> woken, Tick now) = 0;
  // Counts a completed request of the job's storage device.
  virtual void request_ended() = 0;
  // Called when a transfer that no thread sleeps for has ended, or when a flusher has nothing left
  // to write.
  virtual void less_to_do(Tick now) = 0;
  // Returns whether statistics of block I/O still count: the job has not finished yet.
  virtual bool measures_io() const = 0;
};

}  // namespace hmsim
