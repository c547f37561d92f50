// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of block agents.
#include "agents/block/block_agent.h"

namespace hmsim {

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(source_, threads_, copier_, barrier_, ledger_, meter_, io_meter_, steps_,
          between_passes_);
  const auto check_thread = [&](std::uint32_t thread) {
    archive.check_index(thread, threads_.size(), "a thread of a block agent does not exist");
  };
  threads_.check(archive, layout_.lines());
  barrier_.each_waiting(check_thread);
  ledger_.each_thread(check_thread);
  steps_.each([&](const auto& step) { check_thread(step.payload); });
}

}  // namespace hmsim
