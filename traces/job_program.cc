// SPDX-License-Identifier: BSD-3-Clause
#include "traces/job_program.h"

#include "core/archive.h"

namespace hmsim {

void JobRecord::serialize(Archive& archive) {
  archive(action, gap, miss, first_line, lines, event, time);
  archive.check(gap >= 0 && static_cast<std::uint64_t>(gap) <= kMaxGap && time >= Tick(0),
                "a thread's step lies before the one before it");
}

void JobPlace::serialize(Archive& archive) { archive(thread, record, taken_to, taken_writes); }

}  // namespace hmsim
