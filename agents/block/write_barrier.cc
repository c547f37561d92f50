// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/write_barrier.h"

namespace hmsim {

std::optional<std::uint32_t> WriteBarrier::pass(BlockThreads& threads) {
  if (waiting_.empty()) {
    return std::nullopt;
  }
  const std::uint32_t index = waiting_.front();
  BlockThread& thread = threads[index];
  if (thread.flush_before && writers_ > 0) {
    return std::nullopt;
  }
  waiting_.pop();
  thread.past_barrier = thread.write;
  writers_ += thread.write ? 1 : 0;
  return index;
}

void WriteBarrier::leave(BlockThread& thread) {
  thread.past_barrier = false;
  --writers_;
}

}  // namespace hmsim
