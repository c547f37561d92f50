// SPDX-License-Identifier: BSD-3-Clause
// Combines several observers into one.
#pragma once

#include <vector>

#include "controller/accounts/command_observer.h"

namespace hmsim {

class ObserverList final : public CommandObserver {
 public:
  void add(CommandObserver& observer) { observers_.push_back(&observer); }

  // Returns the observer to give to a channel: nullptr, the only observer itself, or this list.
  CommandObserver* target() {
    return observers_.size() > 1 ? this : observers_.empty() ? nullptr : observers_.front();
  }

  void on_command(const CommandRecord& record) override {
    for (CommandObserver* observer : observers_) {
      observer->on_command(record);
    }
  }

 private:
  std::vector<CommandObserver*> observers_;
};

}  // namespace hmsim
