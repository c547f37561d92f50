// SPDX-License-Identifier: BSD-3-Clause
// A pass of an out-of-order core: when each record of its source is dispatched, and when the pass
// ends.
//
// Time is counted in slots of 1/width cycle, or of base_cpi cycles: one instruction is dispatched
// and one retired per slot at most. With W the window, instruction i is dispatched and retired in
// slots
//   d(i) = max(d(i-1) + 1, r(i-W) + 1)        r(i) = max(r(i-1) + 1, ready(i))
// where the core gives ready(i), one cycle after d(i) or later. Instructions that are ready one
// cycle after d(i) need no steps of their own: with p the record before i,
//   d(i) = max(d(p) + (i-p), max over records j, p-W < j <= i-W, of r(j) + (i-W-j) + 1)
//   r(i) = max(r(p) + (i-p), ready(i))
// since such an instruction never bounds a later one when W > width.
//
// A pass begins with an empty window, and ends when all of it is retired. It runs the parts of its
// source (source_parts.h) without a gap, if the source has parts.
//
// Records may be dispatched ahead of time, as far as their slots are known. The core schedules
// their effects on the rest of the system.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "agents/core/core_window.h"
#include "agents/core/source_parts.h"
#include "agents/frontend_parameters.h"
#include "core/clock.h"

namespace hmsim {

class CorePass {
 public:
  static constexpr std::int64_t kUnknown = CoreWindow::kUnknown;
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

  // Called once, before all else. The source, and its parts, outlive the pass. `parts` may be
  // nullptr: all of the source is run. `ahead`: the most records that are dispatched ahead of time.
  void open(const CoreParameters& parameters, RecordSource& source, SourceParts* parts,
            std::int64_t ahead);

  const RateClock& slots() const { return slots_; }
  std::int64_t window_size() const { return window_size_; }  // instructions
  std::int64_t cycle_slots() const { return cycle_slots_; }  // of one cycle, rounded up
  CoreWindow& window() { return window_; }
  const CoreWindow& window() const { return window_; }

  // Starts a pass in this slot, at the source's present place, or at its start.
  void start(std::int64_t slot);
  void restart(std::int64_t slot);
  // No pass is under way until the next start. `slot` is the first one in which that may be.
  void rest(std::int64_t slot);
  bool resting() const { return ending_ && act_time_ == kNever && window_.resolved(); }
  // Ends the pass after the instructions that are dispatched for certain by now. Returns the number
  // of instructions given up, up to and including those of the record fetched, or up to the end
  // that the pass would have had; nullopt if the pass ends there anyway.
  std::optional<std::int64_t> cut(Tick now);
  // A pass ends after this many instructions. Takes effect with the next record that is fetched.
  void set_limit(std::int64_t instructions) { limit_index_ = instructions; }
  // The same of the pass under way, which keeps the instructions that are dispatched.
  void move_limit(std::int64_t instructions, Tick now);
  // Fetches the records of a pass, or of the first turn of its loop, one after the other, while
  // visit() is true; to the limit, or to the source's end. For cores that never act.
  void each_record(bool to_limit, const std::function<bool()>& visit);

  // Takes all steps that are due by `now`, those of the core among them. Returns the time of the
  // next one. A core has (core_steps.h):
  //   kRunsAhead          whether it may dispatch records ahead of time
  //   next_step()         the time of its own next step, which do_step(now) takes
  //   fetch_record(gap)   as RecordSource's
  //   blocked()           whether the record fetched must wait although the window has room;
  //                       stood_still(now) is called when it begins to, unblock() ends it
  //   may_run_ahead()     if kRunsAhead: whether the record may be dispatched before its time
  //   dispatched(number, slot, now)   the record is. `number`, for which set_ready() may be called;
  //                       kUnknown: it shares the instruction of the record before it
  //   pass_ended(slot, now)   all is retired in this slot
  template <class Core>
  Tick advance(Core& core, Tick now);
  Tick next_event(Tick next_step) const { return earlier(act_time_, next_step); }
  // Call after CoreWindow::set_ready() has made slots of records known. Returns whether the time of
  // the next step of the pass is known now, and was not before.
  bool resume();
  // Call when the core may be blocked no longer. Returns whether that changed the next step.
  bool unblock(Tick now);
  bool stalled() const { return stalled_; }  // the core is blocked

  // The slot of the latest dispatch; one before its first slot at the start of a pass.
  std::int64_t last_dispatch() const { return last_slot_; }
  // Instructions of the pass that are retired; 0 while it rests.
  std::int64_t retired(Tick now) const;
  // Instructions of the pass that has ended.
  std::int64_t length() const { return end_index_; }
  // The number of the first record that is not retired by now; where all are, that of the record
  // fetched, or of the end of the pass.
  std::int64_t first_unretired(Tick now) const {
    return window_.first_unretired(last_slot_by(now));
  }
  // The instruction of such a record.
  std::int64_t instruction(std::int64_t number) const {
    return number < window_.end() ? window_[number].index : (ending_ ? end_index_ : next_index_);
  }

  void serialize(Archive& archive);
  // Loading, last of all, unless the pass rests: decides when the next step is.
  void resume_loaded();

 private:
  // The last slot that is not after now.
  std::int64_t last_slot_by(Tick now) const { return slots_.edge_at_or_after(now + Tick(1)) - 1; }
  void empty_window(std::int64_t slot);
  template <class Source>
  void fetch(Source& source);
  void decide_end();
  void plan();
  template <class Core>
  void act(Core& core, Tick now);
  template <class Core>
  void dispatch(Core& core, std::int64_t slot_now, Tick now);
  // Retirement is known up to instruction `index`; `before` is the last record up to there.
  void reach(const CoreWindow::Entry& before, std::int64_t index) {
    if (parts_ != nullptr) {
      parts_->reach(index, before.index, before.retire);
    }
  }
  void resolve() {
    window_.resolve(
        [this](const CoreWindow::Entry& before, std::int64_t index) { reach(before, index); });
  }

  RateClock slots_;
  std::int64_t cycle_slots_ = 0;
  std::int64_t window_size_ = 0;  // instructions
  RecordSource* source_ = nullptr;
  SourceParts* parts_ = nullptr;
  CoreWindow window_;

  bool have_record_ = false;
  bool ending_ = false;          // no record is left within the limit
  bool stalled_ = false;         // blocked()
  std::int64_t next_index_ = 0;  // the next record's instruction
  std::int64_t next_slot_ = 0;   // when it is dispatched, as far as known
  std::int64_t last_index_ = 0;  // of the record dispatched last
  std::int64_t last_slot_ = 0;
  std::int64_t limit_index_ = kNoLimit;  // the pass ends here at the latest
  std::int64_t end_index_ = 0;           // when ending_: the last instruction of the pass
  Tick act_time_{0};  // of the next dispatch, or of the end of the pass; kNever: unknown
};

}  // namespace hmsim
