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

bool Kernel::step(Tick limit) {
  std::size_t earliest = 0;
  Tick when = kNever;
  Tick second = kNever;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Tick next = entries_[i].next;
    if (next < when) {
      second = when;
      when = next;
      earliest = i;
    } else {
      second = earlier(second, next);
    }
  }
  if (when > limit || when == kNever) {
    return false;
  }
  ensure(when >= now_, "kernel", now_, -1, "an event lies in the past");
  turn_ = when == now_ && earliest < turn_ ? turn_ : earliest;
  now_ = when;
  advanced_ = earliest;
  moves_left_ = kMovesOfAStep;
  horizon_ = second > limit ? (limit == kNever ? kNever : limit + Tick(1)) : second;
  Component& component = *entries_[earliest].component;
  component.advance(when);
  horizon_ = Tick(0);
  entries_[earliest].next = component.next_event();
  ensure(entries_[earliest].next > now_, "kernel", now_, -1, "a component does not move on");
  return true;
}

void Kernel::run_until(Tick limit) {
  while (step(limit)) {
  }
  now_ = later(now_, limit);
}

void Kernel::serialize(Archive& archive) {
  archive.section("kernel");
  archive(now_, turn_);
  if (archive.loading()) {
    notify_all();
  }
}

}  // namespace hmsim
