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

inline Kernel::Entry* Kernel::Round::next(std::vector<Entry>& entries) {
  Entry* const last = entries.data() + entries.size();
  for (Entry* entry = entries.data() + from; left > 0 && entry != last; ++entry) {
    if (entry->next == time) {
      from = static_cast<std::size_t>(entry - entries.data()) + 1;
      --left;
      return entry;
    }
  }
  left = 0;
  return nullptr;
}

template <bool rounds>
inline bool Kernel::advance_earliest(Tick end) {
  Entry* earliest = rounds && round_.left > 0 ? round_.next(entries_) : nullptr;
  Tick when = round_.time;
  Tick second = round_.left > 0 ? when : round_.following;
  if (earliest == nullptr) {
    earliest = entries_.data();
    Entry* const last = earliest + entries_.size();
    if (earliest == last) {
      return false;
    }
    std::size_t count = 1;
    when = earliest->next;
    second = kNever;
    for (Entry* entry = earliest; ++entry != last;) {
      if (entry->next < when) {
        second = when;
        when = entry->next;
        earliest = entry;
        count = 1;
      } else if (rounds && entry->next == when) {
        ++count;
      } else {
        second = earlier(second, entry->next);
      }
    }
    if (when >= end) {
      return false;
    }
    ensure(when >= now_, "kernel", now_, -1, "event in the past");
    if (rounds && count > 1) {
      const auto first = static_cast<std::size_t>(earliest - entries_.data());
      round_ = {count - 1, first + 1, when, second};
      second = when;
    }
  }
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
  if (rounds) {
    round_.changed(index, next);
  }
  ensure(next > now || (next == now && others_ <= now), "kernel", now, -1,
         "a component does not advance");
  return true;
}

namespace {

Tick end_of(Tick limit) { return limit == kNever ? kNever : limit + Tick(1); }

}  // namespace

bool Kernel::step(Tick limit) {
  observed_ = true;
  return advance_earliest<false>(end_of(limit));
}

// Makes steps before end_. Returns false if no event before it remains.
template <bool rounds>
bool Kernel::steps_to_end(std::uint64_t& steps) {
  const Tick end = end_;
  for (; steps > 0 && !paused_; --steps) {
    if (!advance_earliest<rounds>(end)) {
      return false;
    }
  }
  return true;
}

bool Kernel::run(Tick limit, std::uint64_t& steps) {
  observed_ = false;
  paused_ = false;
  round_.left = 0;
  end_ = end_of(limit);
  const bool many = entries_.size() > kFew;
  if (many ? steps_to_end<true>(steps) : steps_to_end<false>(steps)) {
    catch_up();
    return true;
  }
  if (put_off_ && limit != kNever) {
    catch_up(limit, entries_.size());
  }
  return false;
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
    Component& component = *entries_[index].component;
    const Tick acted = component.catch_up(index <= turn ? now + Tick(1) : now);
    if (index != advanced_) {
      change(index, component.next_event());
    }
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
