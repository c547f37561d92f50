// SPDX-License-Identifier: BSD-3-Clause
#include "core/kernel.h"

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

int Kernel::attach(Component& component) {
  entries_.push_back({&component, kNever});
  return static_cast<int>(entries_.size()) - 1;
}

void Kernel::notify_all() {
  for (Entry& entry : entries_) {
    entry.next = entry.component->next_event();
  }
}

Tick Kernel::next_event() const {
  Tick next = kNever;
  for (const Entry& entry : entries_) {
    next = earlier(next, entry.next);
  }
  return next;
}

inline bool Kernel::advance_earliest(Tick end) {
  Entry* earliest = entries_.data();
  Entry* const last = earliest + entries_.size();
  if (earliest == last) {
    return false;
  }
  Tick when = earliest->next;
  Tick second = kNever;
  for (Entry* entry = earliest; ++entry != last;) {
    if (entry->next < when) {
      second = when;
      when = entry->next;
      earliest = entry;
    } else {
      second = earlier(second, entry->next);
    }
  }
  if (when >= end) {
    return false;
  }
  ensure(when >= now_, "kernel", now_, -1, "event in the past");
  const auto index = static_cast<std::size_t>(earliest - entries_.data());
  now_ = when;
  advanced_ = index;
  moves_left_ = kMovesOfAStep;
  others_ = horizon_ = earlier(second, end);
  part_next_ = kNever;
  const Tick next = earliest->component->advance(when);
  const Tick now = now_;
  turn_ = now == turned_at_ ? later(turn_, index) : index;
  turned_at_ = now;
  advanced_ = kNobody;
  horizon_ = Tick(0);
  earliest->next = next;
  ensure(next > now || (next == now && others_ <= now), "kernel", now, -1,
         "a component does not advance");
  return true;
}

namespace {

Tick end_of(Tick limit) { return limit == kNever ? kNever : limit + Tick(1); }

}  // namespace

bool Kernel::step(Tick limit) {
  observed_ = true;
  return advance_earliest(end_of(limit));
}

bool Kernel::run(Tick limit, std::uint64_t& steps) {
  observed_ = false;
  const Tick end = end_of(limit);
  for (paused_ = false; steps > 0 && !paused_; --steps) {
    if (!advance_earliest(end)) {
      if (put_off_ && limit != kNever) {
        catch_up(limit, entries_.size());
      }
      return false;
    }
  }
  catch_up();
  return true;
}

void Kernel::catch_up() {
  if (put_off_) {
    catch_up(now_, turn());
  }
}

// Includes events at `now` for components up to and including index `turn`.
void Kernel::catch_up(Tick now, std::size_t turn) {
  put_off_ = false;
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    Entry& entry = entries_[index];
    const Tick acted = entry.component->catch_up(index <= turn ? now + Tick(1) : now);
    entry.next = entry.component->next_event();
    if (acted > turned_at_ || (acted == turned_at_ && index > turn_)) {
      turned_at_ = acted;
      turn_ = index;
    }
  }
  now_ = later(now_, turned_at_);
}

void Kernel::run_until(Tick limit) {
  std::uint64_t steps = ~std::uint64_t{0};
  while (run(limit, steps)) {
  }
  now_ = later(now_, limit);
  turned_at_ = now_;
}

void Kernel::enter(Tick time) {
  ensure(time >= now_ && !put_off_, "kernel", now_, -1, "entered in the past");
  now_ = time;
  turned_at_ = time;
  turn_ = 0;
}

void Kernel::serialize(Archive& archive) {
  archive.section("kernel");
  archive(now_, turn_);
  turned_at_ = now_;
  archive.check(now_ >= Tick(0) && now_ != kNever && turn_ <= entries_.size(),
                "a component's time is invalid");
  if (archive.loading()) {
    notify_all();
    archive.check(next_event() >= now_, "event in the past");
  }
}

}  // namespace hmsim
