// SPDX-License-Identifier: BSD-3-Clause
// Finds transactions that have waited longer than their limit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "policies/monitors/pending.h"

namespace hmsim {

// The key of an overdue transaction.
inline constexpr std::uint64_t kFirstOfAll = ~std::uint64_t{0};

// Each queue may have a limit on the time since a transaction got its slot, or, if later, since no
// flush was ahead of it. A queue without a limit costs nothing.
class StarvationGuard {
 public:
  explicit StarvationGuard(std::size_t slots) : due_(slots) { waiting_.connect(0, kLists); }

  // Call before the first admission.
  void limit(std::size_t queue, Cycle cycles) {
    limits_[queue] = cycles;
    waiting_.connect(due_.size(), kLists);
  }

  bool active() const { return limits_[0] != kNeverCycle || limits_[1] != kNeverCycle; }

  void admit(const RequestView& request, std::size_t queue, Cycle now) {
    if (limits_[queue] != kNeverCycle) {
      due_[request.slot] = now + limits_[queue];
      waiting_.add(request, queue);
      next_ = earlier(next_, due_[request.slot]);
    }
  }
  void issued(const Transaction& transaction, std::size_t queue) {
    if (transaction.overdue) {
      waiting_.remove(transaction.slot);
    } else if (limits_[queue] != kNeverCycle) {
      remove(transaction.slot);
    }
  }

  // next(): when the next transaction becomes overdue. take() returns its slot and makes it
  // overdue.
  Cycle next() const { return next_; }
  std::uint32_t take() {
    const std::size_t queue = due(0) <= due(1) ? 0 : 1;
    const std::uint32_t slot = waiting_.oldest(queue);
    const RequestView request = waiting_[slot];
    remove(slot);
    waiting_.add(request, overdue(request.memory));
    return slot;
  }
  // Returns the oldest overdue transaction of the class whose data-bus command is not issued yet,
  // or kNone.
  std::uint32_t oldest_overdue(MemoryClass memory) const {
    return waiting_.oldest(overdue(memory));
  }
  bool any_overdue() const {
    return oldest_overdue(MemoryClass::dram) != kNone ||
           oldest_overdue(MemoryClass::nvdimm) != kNone;
  }
  static constexpr std::uint32_t kNone = PendingRequests::kNone;

  // When loading, call restore() after serialize(). It finds the waiting and the overdue
  // transactions among those that hold a slot (`held`). owner_of(class) returns the queue of a
  // class. Only queues with a limit have such lists, so without a limit no transaction may be
  // overdue.
  void serialize(Archive& archive) { archive.fixed(due_); }
  template <class OwnerOf>
  void restore(const Archive& archive, std::vector<Transaction*> held, OwnerOf owner_of) {
    for (const Transaction* each : held) {
      archive.check(!each->overdue || active(), "overdue transaction without a limit");
    }
    if (!active()) {
      return;
    }
    std::sort(held.begin(), held.end(), [this](const Transaction* a, const Transaction* b) {
      const Cycle one = due_[a->slot];
      const Cycle other = due_[b->slot];
      return one != other ? one < other : a->request.id < b->request.id;
    });
    waiting_ = PendingRequests();
    waiting_.connect(due_.size(), kLists);
    next_ = kNeverCycle;
    for (const Transaction* each : held) {
      const std::size_t queue = owner_of(each->request.memory);
      if (each->state == TransactionState::barred || each->state == TransactionState::transfer) {
        continue;
      }
      if (each->overdue) {
        waiting_.add(each->view, overdue(each->request.memory));
      } else if (limits_[queue] != kNeverCycle) {
        waiting_.add(each->view, queue);
        next_ = earlier(next_, due_[each->slot]);
      }
    }
  }

 private:
  // One list per queue, then one of overdue transactions per class.
  static constexpr std::size_t kLists = 2 * kMemoryClasses;
  static std::size_t overdue(MemoryClass memory) {
    return kMemoryClasses + static_cast<std::size_t>(memory);
  }

  Cycle due(std::size_t queue) const {
    const std::uint32_t slot = limits_[queue] == kNeverCycle ? kNone : waiting_.oldest(queue);
    return slot == kNone ? kNeverCycle : due_[slot];
  }
  void remove(std::uint32_t slot) {
    waiting_.remove(slot);
    next_ = earlier(due(0), due(1));
  }

  std::array<Cycle, kMemoryClasses> limits_{kNeverCycle, kNeverCycle};
  PendingRequests waiting_;
  std::vector<Cycle> due_;  // by slot
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
