// SPDX-License-Identifier: BSD-3-Clause
// Pass of an out-of-order core: the dispatch time of each record of its source, and the time when
// the pass ends.
//
// Time is counted in slots of 1/width cycles, or of base_cpi cycles. At most one instruction is
// dispatched and one retired per slot. With W the window, instruction i is dispatched in slot d(i)
// and retired in slot r(i):
//   d(i) = max(d(i-1) + 1, r(i-W) + 1)        r(i) = max(r(i-1) + 1, ready(i))
// The core supplies ready(i), at least one cycle after d(i). Instructions that are ready one cycle
// after d(i) need no separate steps. With p the record before i,
//   d(i) = max(d(p) + (i-p), max over records j, p-W < j <= i-W, of r(j) + (i-W-j) + 1)
//   r(i) = max(r(p) + (i-p), ready(i))
// since such an instruction never bounds a later one when W > width.
//
// A pass begins with an empty window and ends when every instruction is retired. If its source has
// parts (source_parts.h), it runs them without a gap.
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

  // Opens the pass; called once, before all else. Source and parts outlive the pass. `parts` may be
  // nullptr: the pass runs the whole source. `ahead`: most records dispatched ahead of time.
  void open(const CoreParameters& parameters, RecordSource& source, SourceParts* parts,
            std::int64_t ahead);

  const RateClock& slots() const { return slots_; }
  std::int64_t window_size() const { return window_size_; }  // instructions
  std::int64_t cycle_slots() const { return cycle_slots_; }  // of one cycle, rounded up
  CoreWindow& window() { return window_; }
  const CoreWindow& window() const { return window_; }

  // start() starts a pass in this slot at the source's present position; restart() rewinds the
  // source first.
  void start(std::int64_t slot);
  void restart(std::int64_t slot);
  // Leaves the core without a pass until the next start, which is in `slot` at the earliest.
  void rest(std::int64_t slot);
  bool resting() const { return ending_ && act_time_ == kNever && window_.resolved(); }
  // Ends the pass after the instructions that are certainly dispatched by now. Returns the number
  // of instructions given up, counted up to the fetched record, or to the end that the pass would
  // have had. nullopt: the pass ends there anyway.
  std::optional<std::int64_t> cut(Tick now);
  // Limits a pass to this many instructions. Takes effect when the next record is fetched.
  void set_limit(std::int64_t instructions) { limit_index_ = instructions; }
  // Changes the limit of the current pass, which keeps the instructions already dispatched.
  void move_limit(std::int64_t instructions, Tick now);
  // Fetches the records of a pass, or of the first turn of its loop, while visit() returns true.
  // With `to_limit`, stops at the limit; otherwise at the end of the source. For cores that never
  // act.
  void each_record(bool to_limit, const std::function<bool()>& visit);

  // Performs all steps scheduled by `now`, including the core's. Returns the time of the next one.
  // A core provides (core_steps.h):
  //   kRunsAhead          whether it may dispatch records ahead of time
  //   next_step()         the time of its own next step, which do_step(now) performs
  //   fetch_record(gap)   as in RecordSource
  //   blocked()           whether the fetched record must wait although the window has room;
  //                       on_stall(now) is called when it begins to wait, unblock() ends it
  //   may_run_ahead()     if kRunsAhead: whether the record may be dispatched before its time
  //   dispatched(number, slot, now)   called at dispatch; set_ready() accepts `number`;
  //                       kUnknown: the record shares the instruction of the record before it
  //   pass_ended(slot, now)   called when all is retired in this slot
  template <class Core>
  Tick advance(Core& core, Tick now);
  Tick next_event(Tick next_step) const { return earlier(act_time_, next_step); }
  // Call after CoreWindow::set_ready() has made slots of records known. Returns whether the time of
  // the pass's next step has become known.
  bool resume();
  // Ends a stall and plans the next step. Call when the core may no longer be blocked. Returns
  // false if the core was not stalled, so that its next step is unchanged.
  bool unblock(Tick now);
  bool stalled() const { return stalled_; }  // the core is blocked

  // Returns the slot of the latest dispatch; at the start of a pass, the slot before its first one.
  std::int64_t last_dispatch() const { return last_slot_; }
  // Returns the number of retired instructions of the pass; 0 while the core rests.
  std::int64_t retired(Tick now) const;
  // Returns the number of instructions of the completed pass.
  std::int64_t length() const { return end_index_; }
  // Returns the number of the first record not retired by now. If all are retired, that is the
  // fetched record or the end of the pass.
  std::int64_t first_unretired(Tick now) const {
    return window_.first_unretired(last_slot_by(now));
  }
  // Returns the number of the instruction of a record that first_unretired() may return.
  std::int64_t instruction(std::int64_t number) const {
    return number < window_.end() ? window_[number].index : (ending_ ? end_index_ : next_index_);
  }

  void serialize(Archive& archive);
  // On load, decides when the next step is. Called last, unless the pass rests.
  void resume_loaded();

 private:
  // Returns the last slot at or before `now`.
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
  // Called when retirement is known up to instruction `index`. `before` is the last record up to
  // there.
  void reach(const CoreWindow::Entry& before, std::int64_t index) {
    if (parts_ != nullptr) {
      parts_->reach(index, before.index, before.retire);
    }
  }
  bool resolve() {
    return window_.resolve(
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
  bool stalled_ = false;         // blocked() held at the next dispatch
  std::int64_t next_index_ = 0;  // instruction of the next record
  std::int64_t next_slot_ = 0;   // dispatch slot of the next record, as far as known
  std::int64_t last_index_ = 0;  // instruction of the last dispatched record
  std::int64_t last_slot_ = 0;
  std::int64_t limit_index_ = kNoLimit;  // the pass ends here at the latest
  std::int64_t end_index_ = 0;           // when ending_: the last instruction of the pass
  Tick act_time_{0};  // of the next dispatch, or of the end of the pass; kNever: unknown
};

}  // namespace hmsim
