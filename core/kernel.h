// SPDX-License-Identifier: BSD-3-Clause
// The event kernel: advances whichever component has the earliest next event.
#pragma once

#include <vector>

#include "core/types.h"

namespace hmsim {

class Archive;

// A part that acts at moments of its own. Contract: next_event() is a lower bound on the next time
// at which advance() would change anything, kNever when only a neighbour can cause that; advance()
// is called with now >= next_event() and leaves next_event() > now.
class Component {
 public:
  virtual ~Component() = default;
  virtual Tick next_event() const = 0;
  virtual void advance(Tick now) = 0;
  virtual void serialize(Archive& archive) = 0;
};

class Kernel {
 public:
  // Components that act at the same time do so in the order in which they were attached.
  int attach(Component& component);

  // A neighbour changed component `id`: asks it for its next event again.
  void notify(int id) {
    const auto index = static_cast<std::size_t>(id);
    next_[index] = components_[index]->next_event();
  }
  void notify_all();

  Tick now() const { return now_; }
  Tick next_event() const;

  // Advances the earliest component if it is due by `limit`; false when none is.
  bool step(Tick limit);
  // Runs all that is due by `limit`; now() is then `limit`.
  void run_until(Tick limit);

  void serialize(Archive& archive);

 private:
  std::vector<Component*> components_;
  std::vector<Tick> next_;
  Tick now_{0};
};

// A component's handle on the kernel: how it tells that its next event changed.
class Wakeup {
 public:
  Wakeup() = default;
  Wakeup(Kernel& kernel, int id) : kernel_(&kernel), id_(id) {}
  void notify() const {
    if (kernel_ != nullptr) {
      kernel_->notify(id_);
    }
  }

 private:
  Kernel* kernel_ = nullptr;
  int id_ = 0;
};

}  // namespace hmsim
