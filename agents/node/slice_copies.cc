// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/slice_copies.h"

#include <algorithm>

#include "agents/node/node.h"

namespace hmsim {

void SliceCopies::report(NodeJob& job, std::uint32_t thread) {
  if (part_.begins) {
    job.copy_began(thread, part_.write, pass_.slots().tick(counted_slot_));
  }
  if (part_.ends) {
    last_lines_.push({last_number_, part_.write});
  }
  report_ended(job, thread);
}

void SliceCopies::end(NodeJob& job, std::uint32_t thread) {
  note_ended();
  part_ = CopyPart();
  report_ended(job, thread);
  fetched_ = Copies();
}

void SliceCopies::report_ended(NodeJob& job, std::uint32_t thread) {
  while (!last_lines_.empty() && pass_.window().retirement_known(last_lines_.front().number)) {
    const LastLine last = last_lines_.take();
    job.copy_ended(thread, last.write, pass_.slots().tick(pass_.window()[last.number].retire));
  }
}

std::int64_t SliceCopies::work(Tick now) const {
  const std::int64_t done = pass_.retired(now);
  const std::int64_t number = pass_.first_unretired(now);
  const CoreWindow& window = pass_.window();
  const Copies& copies = window.holds(number) ? of_records_[window.place_of(number)] : fetched_;
  const std::int64_t copies_from = pass_.instruction(number) - copies.own;
  return done - copies.before - std::max<std::int64_t>(0, done - copies_from);
}

void SliceCopies::serialize(Archive& archive) {
  archive(part_, last_number_, last_lines_, fetched_, counted_slot_, copy_slots_);
  archive.fixed(of_records_);
}

}  // namespace hmsim
