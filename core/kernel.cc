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
  Entry* earliest = nullptr;
  Tick when = kNever;
  for (Entry& entry : entries_) {
    if (entry.next < when) {
      when = entry.next;
      earliest = &entry;
    }
  }
  if (earliest == nullptr || when > limit) {
    return false;
  }
  ensure(when >= now_, "kernel", now_, -1, "an event lies in the past");
  const auto turn = static_cast<std::size_t>(earliest - entries_.data());
  turn_ = when == now_ && turn < turn_ ? turn_ : turn;
  now_ = when;
  Component& component = *earliest->component;
  component.advance(when);
  earliest->next = component.next_event();
  ensure(earliest->next > when, "kernel", now_, -1, "a component does not move on");
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
