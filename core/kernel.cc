// SPDX-License-Identifier: BSD-3-Clause
#include "core/kernel.h"

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

int Kernel::attach(Component& component) {
  components_.push_back(&component);
  events_.add();
  return static_cast<int>(components_.size()) - 1;
}

void Kernel::notify_all() {
  for (std::size_t index = 0; index < components_.size(); ++index) {
    events_.set(index, components_[index]->next_event());
  }
}

inline bool Kernel::advance_earliest(Tick end) {
  if (components_.empty()) {
    return false;
  }
  const EventOrder::First first = events_.first();
  if (first.time >= end) {
    return false;
  }
  ensure(first.time >= now_, "kernel", now_, -1, "an event lies in the past");
  const std::size_t index = first.index;
  now_ = first.time;
  advanced_ = index;
  moves_left_ = kMovesOfAStep;
  horizon_ = earlier(first.second, end);
  const Tick next = components_[index]->advance(first.time);
  const Tick now = now_;
  turn_ = now == turned_at_ ? later(turn_, index) : index;
  turned_at_ = now;
  advanced_ = kNobody;
  horizon_ = Tick(0);
  events_.set(index, next);
  ensure(next > now, "kernel", now, -1, "a component does not move on");
  return true;
}

namespace {

Tick end_of(Tick limit) { return limit == kNever ? kNever : limit + Tick(1); }

}  // namespace

bool Kernel::step(Tick limit) {
  watched_ = true;
  return advance_earliest(end_of(limit));
}

bool Kernel::run(Tick limit, std::uint64_t& steps) {
  watched_ = false;
  const Tick end = end_of(limit);
  for (paused_ = false; steps > 0 && !paused_; --steps) {
    if (!advance_earliest(end)) {
      if (put_off_ && limit != kNever) {
        catch_up(limit, components_.size());
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

// With the events at `now` of those up to this turn.
void Kernel::catch_up(Tick now, std::size_t turn) {
  put_off_ = false;
  for (std::size_t index = 0; index < components_.size(); ++index) {
    const Tick acted = components_[index]->catch_up(index <= turn ? now + Tick(1) : now);
    events_.set(index, components_[index]->next_event());
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

void Kernel::serialize(Archive& archive) {
  archive.section("kernel");
  archive(now_, turn_);
  turned_at_ = now_;
  archive.check(now_ >= Tick(0) && now_ != kNever && turn_ <= components_.size(),
                "its time is invalid");
  if (archive.loading()) {
    notify_all();
    archive.check(next_event() >= now_, "an event lies in the past");
  }
}

}  // namespace hmsim
