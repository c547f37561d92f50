// SPDX-License-Identifier: BSD-3-Clause
// Instructions of a slice that copy lines of block requests: their number and time, and the begin
// and end of each request's copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agents/core/core_pass.h"
#include "agents/node/thread_step.h"
#include "core/ring.h"

namespace hmsim {

class NodeJob;

class SliceCopies {
 public:
  // `pass` is the core's pass that runs slices. It outlives this object.
  explicit SliceCopies(const CorePass& pass) : pass_(pass) {}
  SliceCopies(const SliceCopies&) = delete;
  SliceCopies& operator=(const SliceCopies&) = delete;

  void open() { of_records_.resize(pass_.window().capacity()); }
  // Begins a slice in this slot.
  void begin(std::int64_t slot) {
    copy_slots_ = 0;
    counted_slot_ = slot - 1;
  }
  // Records that the next record, or the end of the slice, was fetched.
  void fetched(const CopyPart& part) {
    part_ = part;
    fetched_.own = part.instructions;
  }
  // Gives up the last `instructions` before the fetched record, which will not run.
  void give_up(std::int64_t instructions) { fetched_.own -= std::min(fetched_.own, instructions); }
  // Records that the fetched record, with `gap` instructions, is dispatched in `slot`. `at_fence`:
  // a fence precedes it. Returns the slot after which the core was copying; `slot` if it was not.
  std::int64_t dispatched(std::int64_t number, std::int64_t slot, std::int64_t gap, bool at_fence) {
    note_ended();
    if (number != CorePass::kUnknown) {
      of_records_[pass_.window().place_of(number)] = fetched_;
      last_number_ = number;
    }
    // A wait at the fence that follows a line copied in this slice is part of the copy.
    const bool waited = copy_slots_ > 0 && at_fence;
    const std::int64_t begin = fetched_.own > 0 ? counted_slot_
                               : waited         ? std::min(counted_slot_ + gap, slot)
                                                : slot;
    fetched_.before += fetched_.own;
    copy_slots_ += std::max<std::int64_t>(0, slot - begin);
    counted_slot_ = slot;
    return begin;
  }
  // Returns whether report() has anything to report.
  bool has_news() const { return part_.begins || part_.ends || !last_lines_.empty(); }
  // Reports to the thread's job: first the request whose copy begins with the dispatched record,
  // then those whose last line has a known retirement.
  void report(NodeJob& job, std::uint32_t thread);
  // Reports the requests that have ended. The whole slice is retired.
  void end(NodeJob& job, std::uint32_t thread);

  std::int64_t slots() const { return copy_slots_; }  // of the slice, spent copying
  // Returns the instructions of the slice that are retired by now, except those that copy lines.
  std::int64_t work(Tick now) const;

  void serialize(Archive& archive);

 private:
  // Record that copied the last line of a request.
  struct LastLine {
    std::int64_t number = 0;
    bool write = false;
    void serialize(Archive& archive) { archive(number, write); }
  };
  // Numbers of copying instructions. `own`: those at the end of a record's gap, which copy the
  // record's line. `before`: those of earlier records of the same slice.
  struct Copies {
    std::int64_t own = 0;
    std::int64_t before = 0;
    void serialize(Archive& archive) { archive(own, before); }
  };

  // Records which requests ended with the record dispatched last.
  void note_ended() {
    for (const bool write : {false, true}) {
      if (part_.ended[write ? 1 : 0]) {
        last_lines_.push({last_number_, write});
      }
    }
  }
  void report_ended(NodeJob& job, std::uint32_t thread);

  const CorePass& pass_;
  CopyPart part_;                   // of the last fetched record
  std::int64_t last_number_ = 0;    // of the last dispatched record
  Ring<LastLine> last_lines_;       // with unknown retirement
  Copies fetched_;                  // of the last fetched record, or of the slice's end
  std::vector<Copies> of_records_;  // by number modulo the window's capacity
  std::int64_t counted_slot_ = 0;   // slot of the latest dispatch
  // Slots that the slice has spent on copying. A copied line counts the slots from the preceding
  // dispatch to its own. Waits at the fence after a copied line also count.
  std::int64_t copy_slots_ = 0;
};

}  // namespace hmsim
