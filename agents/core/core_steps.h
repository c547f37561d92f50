// SPDX-License-Identifier: BSD-3-Clause
// Steps of a pass (core_pass.h) that every record takes. Each kind of core instantiates them with
// its own functions, which are inlined.
#pragma once

#include "agents/core/core_pass.h"

namespace hmsim {

// Schedules the next dispatch or the end of the pass; kNever while that depends on a completion.
inline void CorePass::plan() {
  act_time_ = kNever;
  if (ending_) {
    if (window_.resolved()) {
      const CoreWindow::Entry& last = window_.last_known();
      act_time_ = slots_.tick(last.retire + (end_index_ - last.index));
    }
    return;
  }
  if (window_.bound(next_index_ - window_size_, next_slot_) && !stalled_) {
    act_time_ = slots_.tick(next_slot_);
  }
}

inline bool CorePass::resume() {
  if (!resolve() || act_time_ != kNever || stalled_) {
    return false;
  }
  plan();
  return act_time_ != kNever;
}

inline void CorePass::decide_end() {
  ending_ = !have_record_ || next_index_ > limit_index_;
  end_index_ = earlier(next_index_, limit_index_);
}

template <class Source>
HMSIM_INLINE void CorePass::fetch(Source& source) {
  std::int64_t gap = 0;
  const auto next = [&source](std::int64_t& found) { return source.fetch_record(found); };
  have_record_ = parts_ == nullptr ? next(gap) : parts_->next_record(next, last_index_, gap);
  next_index_ = last_index_ + gap;
  next_slot_ = last_slot_ + gap;
  decide_end();
}

template <class Core>
HMSIM_INLINE void CorePass::dispatch(Core& core, std::int64_t slot_now, Tick now) {
  window_.leave(slot_now);
  std::int64_t number = kUnknown;
  if (next_index_ > last_index_) {
    number = window_.add(next_index_, next_slot_, next_slot_ + cycle_slots_, now);
  }
  last_index_ = next_index_;
  last_slot_ = next_slot_;
  core.dispatched(number, last_slot_, now);
  resolve();
  fetch(core);
  plan();
}

template <class Core>
HMSIM_INLINE void CorePass::act(Core& core, Tick now) {
  if (ending_) {
    reach(window_.last_known(), end_index_);
    core.pass_ended(slots_.edge_at_or_after(now), now);
    return;
  }
  if (core.blocked()) {
    stalled_ = true;
    act_time_ = kNever;
    core.on_stall(now);
    return;
  }
  const std::int64_t slot_now = act_time_ == now ? next_slot_ : last_slot_by(now);
  dispatch(core, slot_now, now);
  if constexpr (Core::kRunsAhead) {
    while (act_time_ != kNever && !ending_ && window_.has_room() && !core.blocked() &&
           core.may_run_ahead()) {
      dispatch(core, slot_now, now);
    }
  }
}

template <class Core>
Tick CorePass::advance(Core& core, Tick now) {
  for (;;) {
    const Tick step = core.next_step();
    if (step <= now) {
      core.do_step(now);
    } else if (act_time_ <= now) {
      act(core, now);
    } else {
      return next_event(step);
    }
  }
}

}  // namespace hmsim
