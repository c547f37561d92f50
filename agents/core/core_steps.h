// SPDX-License-Identifier: BSD-3-Clause
// The steps of a core (core_agent.h) that every record takes. Each kind of core compiles them into
// its advance(), so that what it does at each step costs no call.
#pragma once

#include "agents/core/core_agent.h"
#include "core/errors.h"

namespace hmsim {

// Decides when the next record is dispatched, or the pass ends: kNever while that depends on a
// completion.
inline void CoreAgent::plan() {
  act_time_ = kNever;
  if (ending_) {
    if (known_ == end_) {
      const Entry& last = entry(known_ - 1);
      act_time_ = slots_.tick(last.retire + (end_index_ - last.index));
    }
    return;
  }
  const std::int64_t leaves = next_index_ - parameters_.window;
  while (applied_ < end_ && entry(applied_).index <= leaves) {
    if (applied_ == known_) {
      return;
    }
    const Entry& left = entry(applied_);
    next_slot_ = later(next_slot_, left.retire + (leaves - left.index) + 1);
    ++applied_;
  }
  if (!stalled_) {
    act_time_ = slots_.tick(next_slot_);
  }
}

// The first record that is not known to retire is ready.
inline void CoreAgent::resolve_known() {
  do {
    const Entry& before = entry(known_ - 1);
    Entry& next = entry(known_);
    reach(before, next.index - 1);
    next.retire = later(before.retire + (next.index - before.index), next.ready);
    ++known_;
  } while (known_ < end_ && entry(known_).ready != kUnknown);
}

inline bool CoreAgent::resume() {
  resolve_retirement();
  if (act_time_ != kNever || stalled_) {
    return false;
  }
  plan();
  return act_time_ != kNever;
}

inline void CoreAgent::decide_end() {
  ending_ = !have_record_ || next_index_ > limit_index_;
  end_index_ = earlier(next_index_, limit_index_);
}

template <class Source>
HMSIM_INLINE void CoreAgent::fetch(Source& source) {
  std::int64_t gap = 0;
  have_record_ = parts_.next_record(
      [&source](std::int64_t& found) { return source.fetch_record(found); }, last_index_, gap);
  next_index_ = last_index_ + gap;
  next_slot_ = last_slot_ + gap;
  decide_end();
}

template <class Kind>
HMSIM_INLINE void CoreAgent::dispatch(Kind& kind, std::int64_t slot_now, Tick now) {
  while (first_ < applied_ && entry(first_).retire <= slot_now) {
    ++first_;
  }
  const bool own_entry = next_index_ > last_index_;
  if (own_entry) {
    ensure(static_cast<std::size_t>(end_ - first_) <= mask_, "core", now, -1,
           "the window holds more records than it can");
    Entry& added = entry(end_++);
    added.index = next_index_;
    added.dispatch = next_slot_;
    added.ready = next_slot_ + cycle_slots();
  }
  last_index_ = next_index_;
  last_slot_ = next_slot_;
  kind.dispatched(own_entry ? end_ - 1 : kUnknown, last_slot_, now);
  resolve_retirement();
  fetch(kind);
  plan();
}

template <class Kind>
HMSIM_INLINE void CoreAgent::act(Kind& kind, Tick now) {
  if (ending_) {
    reach(entry(known_ - 1), end_index_);
    pass_ended(slots_.edge_at_or_after(now), now);
    return;
  }
  if (kind.blocked()) {
    stalled_ = true;
    act_time_ = kNever;
    stood_still(now);
    return;
  }
  // The last slot that is not after now: when a dispatch's time has come, its own.
  const std::int64_t slot_now =
      act_time_ == now ? next_slot_ : slots_.edge_at_or_after(now + Tick(1)) - 1;
  dispatch(kind, slot_now, now);
  while (runs_ahead_ && act_time_ != kNever && !ending_ &&
         end_ - first_ + 1 < static_cast<std::int64_t>(entries_.size()) && !kind.blocked() &&
         may_run_ahead()) {
    dispatch(kind, slot_now, now);
  }
}

template <class Kind>
Tick CoreAgent::advance_as(Kind& kind, Tick now) {
  for (;;) {
    const Tick step = kind.next_step();
    if (step <= now) {
      kind.do_step(now);
    } else if (act_time_ <= now) {
      act(kind, now);
    } else {
      return next_event_with(step);
    }
  }
}

}  // namespace hmsim
