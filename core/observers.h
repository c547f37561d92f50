// SPDX-License-Identifier: BSD-3-Clause
// List of the observers that a component notifies.
#pragma once

#include <vector>

namespace hmsim {

template <class Observer>
class Observers {
 public:
  void add(Observer& observer) { observers_.push_back(&observer); }
  bool any() const { return !observers_.empty(); }

  template <class Record>
  void notify(void (Observer::*event)(const Record&), const Record& record) const {
    each([&](Observer& observer) { (observer.*event)(record); });
  }
  template <class Action>
  void each(const Action& action) const {
    for (Observer* const observer : observers_) {
      action(*observer);
    }
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace hmsim
