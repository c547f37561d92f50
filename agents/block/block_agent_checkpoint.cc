// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of block agents.
#include "agents/block/block_agent.h"

namespace hmsim {

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(source_, threads_, meter_, io_meter_, steps_, blocks_done_, blocks_open_);
  archive(between_passes_);
  threads_.check(archive, layout_.lines());
  steps_.each([&](const auto& step) {
    archive.check_index(step.payload, threads_.size(), "invalid thread of a block agent");
  });
}

}  // namespace hmsim
