// SPDX-License-Identifier: BSD-3-Clause
// Steps of a core's fills: from the miss that requests a line to the line's arrival.
#include <algorithm>

#include "agents/application_observer.h"
#include "agents/core/core_steps.h"
#include "agents/core/cpu_core.h"
#include "core/errors.h"

namespace hmsim {

void CpuCore::plan_fill(Fill id, std::int64_t slot, Tick now) {
  FillTable::Fill& fill = (*fills_)[id];
  if (fill.queued || fill.started || slot >= fill.planned) {
    return;
  }
  fill.planned = slot;
  if (slots().tick(slot) <= now) {
    ask(id, now);
  } else {
    schedule(slot, Step::ask, id);
  }
}

void CpuCore::ask(Fill id, Tick now) {
  fills_->queue(id);
  start_fills(now);
}

void CpuCore::start_fills(Tick now) {
  const std::int64_t slot = slots().edge_at_or_after(now);
  for (Fill id = fills_->next(); id != kNone; id = fills_->next()) {
    start_fill(id, slot);
    if ((*fills_)[id].fetches) {
      l3_->announce((*fills_)[id].miss, user_, now);
    }
  }
}

void CpuCore::start_fill(Fill id, std::int64_t slot) {
  FillTable::Fill& fill = (*fills_)[id];
  if (fill.fetches) {
    if (ApplicationObserver* const application = environment().application) {
      application->on_issue(index(), id, fill.ahead, slots().tick(slot));
    }
    schedule(slot + found_after_[kCacheLevels], Step::send, id);
  } else {
    const auto looked = std::min(static_cast<std::size_t>(fill.level), kCacheLevels);
    const bool merged = fill.miss != LastLevelCache::kNone;
    fill.earliest = std::max(fill.earliest, slot + found_after_[looked]);
    l3_->counters(user_).merges += merged ? 1 : 0;
    if (fill.below == kNone && !merged) {
      schedule(fill.earliest, Step::fill, id);
    }
  }
  for (Fill ahead = fills_->take_child(id); ahead != kNone; ahead = fills_->take_child(id)) {
    fills_->queue(ahead);
  }
}

void CpuCore::do_step(Tick now) {
  const auto step = steps_.pop();
  switch (step.kind) {
    case Step::ask: {
      // The planned fill may have started for another access, and its id may be reused.
      const FillTable::Fill& fill = (*fills_)[step.payload];
      if (!fill.queued && !fill.started && fill.planned <= slots().edge_at_or_after(now)) {
        ask(step.payload, now);
      }
      break;
    }
    case Step::send:
      send(MemoryClass::dram, location(caches_->name((*fills_)[step.payload].line)), false,
           step.payload, now);
      break;
    case Step::fill:
      arrive(step.payload, now);
      break;
    case Step::write_back: {
      ensure(!write_backs_.empty(), "core", now, -1, "no line left to write back");
      send_left(write_backs_.take(), now);
      break;
    }
  }
}

void CpuCore::arrive(Fill id, Tick now) {
  const std::int64_t slot = slots().edge_at_or_after(now);
  const FillTable::Fill fill = fills_->remove(id, now);
  ApplicationObserver* const application = environment().application;
  if (application != nullptr && fill.fetches) {
    application->on_usable(index(), id, slots().tick(slot));
  }
  if (fill.above != kNone) {
    FillTable::Fill& above = (*fills_)[fill.above];
    above.below = kNone;
    above.earliest = std::max(above.earliest, slot);
    if (above.started) {
      schedule(above.earliest, Step::fill, fill.above);
    }
  }
  for (Link link = fill.waiters; link != kNone;) {
    const Link next = accesses_[link].next;
    access_done(link, slot);
    link = next;
  }
  publish_ready(now);
  start_fills(now);
  pass_.resume();
  if (!blocked() && pass_.unblock(now)) {
    notify();
  }
  if (fill.fetches) {
    l3_->close(fill.miss, user_, now);
    l3_->serve(now);
  }
}

void CpuCore::line_arrived(Fill id, Tick now) {
  ensure(id < fills_->size(), "core", now, id, "arrival of a line that no fill waits for");
  FillTable::Fill& fill = (*fills_)[id];
  fill.miss = LastLevelCache::kNone;
  if (fill.started) {
    fill.earliest = std::max(fill.earliest, slots().edge_at_or_after(now));
    schedule(fill.earliest, Step::fill, id);
  } else {
    start_fills(now);
  }
  notify();
}

void CpuCore::start_waiting(Tick now) {
  start_fills(now);
  notify();
}

void CpuCore::on_taken(const Request& request, Tick now) {
  if (request.tag == kPosted) {
    --writes_outside_;
    if (!blocked() && pass_.unblock(now)) {
      notify();
    }
  }
}

void CpuCore::handle_completion(const Request& request, Tick now) {
  if (request.tag != kPosted) {
    arrive(request.tag, now);
    notify();
  }
}

}  // namespace hmsim
