// SPDX-License-Identifier: BSD-3-Clause
// The barrier of a driver that makes a flush of waiting (barrier: driver): a request to flush
// begins when no write request is under way, and write requests that come behind it wait for it.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/block/block_threads.h"
#include "core/archive.h"
#include "core/ring.h"

namespace hmsim {

// Invariant: writers = threads that are past the barrier to write and have not ended.
class WriteBarrier {
 public:
  // The thread waits until pass() names it.
  void wait(std::uint32_t thread) { waiting_.push(thread); }
  // The next thread, in the order in which they came, that may go on; it is past the barrier then.
  std::optional<std::uint32_t> pass(BlockThreads& threads);
  // A thread that is past the barrier has ended its request.
  void leave(BlockThread& thread);

  // visit(thread) for all that wait.
  template <class Visit>
  void each_waiting(Visit visit) const {
    waiting_.each(visit);
  }

  void serialize(Archive& archive) { archive(writers_, waiting_); }

 private:
  std::int64_t writers_ = 0;
  Ring<std::uint32_t> waiting_;
};

}  // namespace hmsim
