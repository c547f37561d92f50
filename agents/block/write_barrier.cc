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

void WriteBarrier::check(const Archive& archive, const BlockThreads& threads) const {
  std::int64_t writers = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    writers += threads[i].past_barrier ? 1 : 0;
  }
  archive.check(writers == writers_, "the barrier of a block agent does not hold together");
}

}  // namespace hmsim
