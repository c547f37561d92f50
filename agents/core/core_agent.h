// SPDX-License-Identifier: BSD-3-Clause
// The window of an out-of-order core, whatever its loads wait for.
//
// Time is counted in slots of 1/width cycle, or of base_cpi cycles: one instruction is dispatched
// and one retired per slot at most. With W the window, instruction i is dispatched and retired in
// slots
//   d(i) = max(d(i-1) + 1, r(i-W) + 1)        r(i) = max(r(i-1) + 1, ready(i))
// where the kind of core tells ready(i), one cycle after d(i) or later. Instructions that
// are ready one cycle after d(i) need no steps of their own: with p the record before i,
//   d(i) = max(d(p) + (i-p), max over records j, p-W < j <= i-W, of r(j) + (i-W-j) + 1)
//   r(i) = max(r(p) + (i-p), ready(i))
// since such an instruction never bounds a later one when W > width.
//
// A pass runs parts of the source (source_parts.h), which follow each other without a gap. It
// begins with an empty window, and ends when all of it is retired.
//
// Records may be dispatched ahead of time, as far as their slots are known: what they do to the
// world outside, the kind of core schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/copies.h"
#include "agents/core/source_parts.h"
#include "core/clock.h"

namespace hmsim {

class CoreAgent : public Agent, protected RecordSource {
 public:
  explicit CoreAgent(const FrontendParameters& defaults)
      : parts_(*this), parameters_(defaults.core) {}
  CoreAgent(const CoreAgent&) = delete;
  CoreAgent& operator=(const CoreAgent&) = delete;

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;
  const char* progress_unit() const override { return "instructions"; }
  std::int64_t frequency() const override { return parameters_.frequency; }
  std::int64_t work(Tick now) const override { return before_pass_ + retired(now); }
  double weighted_ipc() const override {
    return parts_.weighted_ipc(parameters_.slots_per_cycle());
  }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    parts_.register_statistics(registry, path, parameters_.slots_per_cycle());
  }

  Tick next_event() const override { return next_event_with(next_step()); }

 protected:
  static constexpr std::int64_t kUnknown = -1;

  // Opens the source of records, once, before anything else is asked of it.
  virtual void open() = 0;
  // Begins the first pass at time 0, or rests until a pass is to begin.
  virtual void begin() { start_pass(0); }
  // All of the pass is retired, in this slot. An agent by itself has finished, and starts over.
  virtual void pass_ended(std::int64_t slot, Tick now);
  // Loading, last of all: decides when the core acts next. A kind that may rest overrides it.
  virtual void resume_loaded();
  virtual double source_fraction() const = 0;
  // advance(), for each kind to compile with its own functions (core_steps.h).
  template <class Kind>
  Tick advance_as(Kind& kind, Tick now);
  // Whether the record fetched must wait although the window has room; unblock() tells its end.
  virtual bool blocked() const = 0;
  // It begins to wait so.
  virtual void stood_still(Tick /*now*/) {}
  // Whether it may be dispatched before its time has come.
  virtual bool may_run_ahead() const { return false; }
  // The record fetched is dispatched in `slot`. Its own number, from which set_ready() tells when
  // it may retire; kUnknown: it shares the instruction of the record before it.
  virtual void dispatched(std::int64_t number, std::int64_t slot, Tick now) = 0;
  // The kind's own steps: next_step() is the time of the first one, do_step() takes it when it is
  // due.
  virtual Tick next_step() const = 0;
  Tick next_event_with(Tick next_step) const { return earlier(act_time_, next_step); }
  virtual void do_step(Tick now) = 0;
  virtual void serialize_core(Archive& archive) = 0;

  const CoreParameters& parameters() const { return parameters_; }
  const RateClock& slots() const { return slots_; }
  std::int64_t cycle_slots() const { return slots_.of_cycle; }  // of one cycle, rounded up
  // More records than are in the window or dispatched ahead; a power of two. A record is kept
  // at its number modulo this.
  std::size_t capacity() const { return entries_.size(); }
  std::size_t place_of(std::int64_t number) const {
    return static_cast<std::size_t>(number) & mask_;
  }
  bool in_window(std::int64_t number) const { return number >= first_ && number < end_; }
  // see(number) for each record in the window, in order.
  template <class See>
  void each_in_window(See see) const {
    for (std::int64_t number = first_; number < end_; ++number) {
      see(number);
    }
  }
  // The number of the record in the window that is `index` modulo the capacity.
  std::int64_t number_at(std::uint32_t index) const {
    return first_ + static_cast<std::int64_t>((index - static_cast<std::size_t>(first_)) & mask_);
  }
  std::int64_t dispatch_slot(std::int64_t number) const { return entry(number).dispatch; }
  std::int64_t ready_slot(std::int64_t number) const { return entry(number).ready; }
  // Whether it is known when the record retires, and the slot, until it leaves the window.
  bool retirement_known(std::int64_t number) const { return number < known_; }
  std::int64_t retire_slot(std::int64_t number) const { return entry(number).retire; }
  void set_ready(std::int64_t number, std::int64_t slot) { entry(number).ready = slot; }
  bool stalled() const { return stalled_; }
  // The slot of the latest dispatch; one before its first slot at a pass's start.
  std::int64_t last_dispatch() const { return last_slot_; }
  // Instructions of the present pass that are retired; 0 while it rests.
  std::int64_t retired(Tick now) const;
  // The number of the first record that is not retired by now; where all are, of the one that is
  // fetched, or stands for the pass's end.
  std::int64_t first_unretired(Tick now) const;
  // The instruction of such a record.
  std::int64_t instruction(std::int64_t number) const {
    return number < end_ ? entry(number).index : (ending_ ? end_index_ : next_index_);
  }

  // A pass begins in this slot, or none does until the next start_pass().
  void start_pass(std::int64_t slot);
  void rest(std::int64_t slot);
  // Ends the pass behind what is dispatched for certain by now. Returns the instructions that are
  // not, up to and with those of the record fetched, or to the end that the pass would have had;
  // nullopt: it ends there anyway.
  std::optional<std::int64_t> cut_pass(Tick now);
  // Counts the instructions of a pass that has ended as work done.
  void end_pass();
  bool resting() const { return ending_ && act_time_ == kNever && known_ == end_; }
  // Fetches the records of a pass, or of the first turn of its loop, one after the other, while
  // visit() is true; to the limit, or to the source's end. For agents that never act.
  void each_record(bool to_limit, const std::function<bool()>& visit);
  // Goes on after set_ready() has made slots of records known. Whether it is known now when it acts
  // next, and was not before.
  bool resume();
  void unblock(Tick now);

  // The bytes that this agent, one of several copies, adds to addresses of this memory.
  std::uint64_t offset(MemoryClass memory) const;

  std::int64_t instructions_ = 0;  // limit; 0: to the end of the source
  SourceParts parts_;
  bool runs_ahead_ = false;  // of time, as far as may_run_ahead()

 private:
  struct SlotClock : RateClock {
    std::int64_t of_cycle = 0;  // slots, rounded up
  };
  // A record between dispatch and its leaving the window.
  struct Entry {
    std::int64_t index = 0;     // instruction number within the pass, from 1
    std::int64_t dispatch = 0;  // slot
    std::int64_t ready = 0;     // slot, or kUnknown
    std::int64_t retire = 0;    // slot, once all earlier ones are known
    void serialize(Archive& archive);
  };

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void serialize_state(Archive& archive) override;

  void empty_window(std::int64_t slot);
  template <class Source>
  void fetch(Source& source);
  // Retirement is known up to instruction `index`; `before` is the last record up to there.
  void reach(const Entry& before, std::int64_t index) {
    parts_.reach(index, before.index, before.retire, !finished_once());
  }
  void decide_end();
  void plan();
  template <class Kind>
  void act(Kind& kind, Tick now);
  template <class Kind>
  void dispatch(Kind& kind, std::int64_t slot_now, Tick now);
  void resolve_retirement() {
    if (known_ < end_ && entry(known_).ready != kUnknown) {
      resolve_known();
    }
  }
  void resolve_known();
  Entry& entry(std::int64_t number) { return entries_[place_of(number)]; }
  const Entry& entry(std::int64_t number) const { return entries_[place_of(number)]; }

  CoreParameters parameters_;
  Copies copies_;
  SlotClock slots_;

  // Entries are numbered in order of dispatch. Those from first_ to end_ - 1 are in the window, and
  // the one before first_ is kept, too; at a pass's start it stands for instruction 0. Retirement
  // is known for those before known_; those before applied_ no longer bound the next dispatch.
  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  std::int64_t first_ = 0;
  std::int64_t applied_ = 0;
  std::int64_t known_ = 0;
  std::int64_t end_ = 0;

  bool have_record_ = false;
  bool ending_ = false;          // no record is left within the limit
  std::int64_t next_index_ = 0;  // the next record's instruction
  std::int64_t next_slot_ = 0;   // when it is dispatched, as far as known
  std::int64_t last_index_ = 0;  // of the record dispatched last
  std::int64_t last_slot_ = 0;
  std::int64_t limit_index_ = 0;  // the pass ends here at the latest
  std::int64_t end_index_ = 0;    // when ending_: the last instruction of the pass
  bool stalled_ = false;          // blocked()
  Tick act_time_{0};              // of the next dispatch, or of the pass's end; kNever: unknown

  std::int64_t before_pass_ = 0;      // instructions of passes that ended
  std::int64_t measured_before_ = 0;  // instructions of this pass before measuring began
};

}  // namespace hmsim
