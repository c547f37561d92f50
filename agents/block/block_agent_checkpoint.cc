// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of block agents.
#include "agents/block/block_agent.h"

namespace hmsim {

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(source_, threads_, meter_, io_meter_, steps_, blocks_done_, blocks_open_);
  archive(between_passes_, started_, open_loop_, think_times_);
  threads_.check(archive, layout_.lines());
  std::size_t arrivals = 0;
  steps_.each([&](const auto& step) {
    const bool thinks = step.kind == Step::end_think;
    arrivals += step.kind == Step::arrive ? 1 : 0;
    archive.check_index(step.payload, thinks ? think_times_.size() : threads_.size(),
                        "invalid thread of a block agent");
  });
  const bool may_arrive = open_loop_.open() && source_.has_next();
  archive.check(arrivals <= (may_arrive ? 1u : 0u), "invalid arrival at a block agent");
}

}  // namespace hmsim
