// SPDX-License-Identifier: BSD-3-Clause
#include "core/kernel.h"

#include <algorithm>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

int Kernel::attach(Component& component) {
  components_.push_back(&component);
  next_.push_back(kNever);
  return static_cast<int>(components_.size()) - 1;
}

void Kernel::notify_all() {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    next_[i] = components_[i]->next_event();
  }
}

Tick Kernel::next_event() const {
  return next_.empty() ? kNever : *std::min_element(next_.begin(), next_.end());
}

bool Kernel::step(Tick limit) {
  std::size_t earliest = 0;
  Tick when = kNever;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    if (next_[i] < when) {
      when = next_[i];
      earliest = i;
    }
  }
  if (when > limit || when == kNever) {
    return false;
  }
  ensure(when >= now_, "kernel", now_, -1, "an event lies in the past");
  now_ = when;
  components_[earliest]->advance(when);
  next_[earliest] = components_[earliest]->next_event();
  ensure(next_[earliest] > when, "kernel", now_, -1, "a component does not move on");
  return true;
}

void Kernel::run_until(Tick limit) {
  while (step(limit)) {
  }
  now_ = later(now_, limit);
}

void Kernel::serialize(Archive& archive) {
  archive.section("kernel");
  archive(now_);
  if (archive.loading()) {
    notify_all();
  }
}

}  // namespace hmsim
