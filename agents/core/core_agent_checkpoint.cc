// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of cores.
#include "agents/core/core_agent.h"
#include "agents/core/core_steps.h"
#include "core/archive.h"

namespace hmsim {

void CoreAgent::Entry::serialize(Archive& archive) { archive(index, dispatch, ready, retire); }

void CoreAgent::serialize_state(Archive& archive) {
  archive.section("core");
  archive.fixed(entries_);
  archive(first_, applied_, known_, end_, have_record_);
  archive(next_index_, next_slot_, last_index_, last_slot_, limit_index_);
  archive(stalled_, before_pass_, measured_before_);
  // Otherwise a loop over the window might not end.
  archive.check(first_ >= 0 && first_ <= applied_ && applied_ <= known_ && known_ <= end_ &&
                    end_ - first_ < static_cast<std::int64_t>(entries_.size()),
                "a core's window is invalid");
  archive(parts_);
  serialize_core(archive);
  if (archive.loading()) {
    resume_loaded();
  }
}

void CoreAgent::resume_loaded() {
  decide_end();
  plan();
}

}  // namespace hmsim
