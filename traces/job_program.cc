// SPDX-License-Identifier: BSD-3-Clause
#include "traces/job_program.h"

#include "core/archive.h"

namespace hmsim {

void JobRecord::serialize(Archive& archive) {
  archive(action, gap, miss, first_line, lines, event, task, bytes, time);
  archive(copies, ends_copy, copy_ended);
  const bool transfers =
      action == JobAction::read || action == JobAction::read_ahead || action == JobAction::write;
  archive.check(gap >= 0, "step of a thread before the preceding one");
  archive.check(!transfers || (lines >= 1 && lines <= kMostTransferLines),
                "invalid length of a thread's transfer");
}

void JobPlace::serialize(Archive& archive) { archive(record, copied_to); }

}  // namespace hmsim
