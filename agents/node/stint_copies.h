// SPDX-License-Identifier: BSD-3-Clause
// The instructions of a stint that copy lines of block requests: how many, when, and when the copy
// of each request begins and ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agents/core/core_pass.h"
#include "agents/node/thread_step.h"
#include "core/ring.h"

namespace hmsim {

class NodeJob;

class StintCopies {
 public:
  // The stint is a pass of the core. The pass outlives this.
  explicit StintCopies(const CorePass& pass) : pass_(pass) {}
  StintCopies(const StintCopies&) = delete;
  StintCopies& operator=(const StintCopies&) = delete;

  void open() { of_records_.resize(pass_.window().capacity()); }
  // A stint begins in this slot.
  void begin(std::int64_t slot) {
    copy_slots_ = 0;
    counted_slot_ = slot - 1;
  }
  // The next record, or the end of the stint, is fetched.
  void fetched(const CopyPart& part) {
    part_ = part;
    fetched_.own = part.instructions;
  }
  // The last `instructions` up to the record fetched are not run.
  void give_up(std::int64_t instructions) { fetched_.own -= std::min(fetched_.own, instructions); }
  // The record fetched, which has `gap` instructions, is dispatched in `slot`. `at_fence`: it has
  // waited at a fence. Returns the slot after which the core was copying; `slot` if it was not.
  std::int64_t dispatched(std::int64_t number, std::int64_t slot, std::int64_t gap, bool at_fence) {
    note_ended();
    if (number != CorePass::kUnknown) {
      of_records_[pass_.window().place_of(number)] = fetched_;
      last_number_ = number;
    }
    // A wait at the fence after a line that this stint copied is a part of the copy.
    const bool waited = copy_slots_ > 0 && at_fence;
    const std::int64_t begin = fetched_.own > 0 ? counted_slot_
                               : waited         ? std::min(counted_slot_ + gap, slot)
                                                : slot;
    fetched_.before += fetched_.own;
    copy_slots_ += std::max<std::int64_t>(0, slot - begin);
    counted_slot_ = slot;
    return begin;
  }
  // Whether report() has anything to report.
  bool has_news() const { return part_.begins || part_.ends || !last_lines_.empty(); }
  // Reports to the job of the thread: first the request whose copy begins with the record
  // dispatched, then those whose last line is known to retire.
  void report(NodeJob& job, std::uint32_t thread);
  // All of the stint is retired. Reports the requests that have ended.
  void end(NodeJob& job, std::uint32_t thread);

  std::int64_t slots() const { return copy_slots_; }  // of the stint, in which it copied
  // Instructions of the stint that are retired by now and copy no line.
  std::int64_t work(Tick now) const;

  void serialize(Archive& archive);

 private:
  // A record that copied the last line of a request.
  struct LastLine {
    std::int64_t number = 0;
    bool write = false;
    void serialize(Archive& archive) { archive(number, write); }
  };
  // Instructions that copy a record's line, the last ones before it, and those of the records of
  // its stint before it.
  struct Copies {
    std::int64_t own = 0;
    std::int64_t before = 0;
    void serialize(Archive& archive) { archive(own, before); }
  };

  // The record fetched comes after the last line of a request.
  void note_ended() {
    for (const bool write : {false, true}) {
      if (part_.ended[write ? 1 : 0]) {
        last_lines_.push({last_number_, write});
      }
    }
  }
  void report_ended(NodeJob& job, std::uint32_t thread);

  const CorePass& pass_;
  CopyPart part_;                   // of the record fetched last
  std::int64_t last_number_ = 0;    // of the record dispatched last
  Ring<LastLine> last_lines_;       // that are not known to retire
  Copies fetched_;                  // of the record fetched last, or of the end of the stint
  std::vector<Copies> of_records_;  // in the window, by number, modulo its capacity
  std::int64_t counted_slot_ = 0;   // of the latest dispatch
  // Slots of the stint between a copied line's dispatch and the one before, and of waits at its
  // fences.
  std::int64_t copy_slots_ = 0;
};

}  // namespace hmsim
