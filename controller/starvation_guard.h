// SPDX-License-Identifier: BSD-3-Clause
// Finds the transactions that have waited for too long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "policies/monitors/pending.h"

namespace hmsim {

inline constexpr std::uint64_t kFirstOfAll = ~std::uint64_t{0};  // the key of an overdue one

// Every queue has its limit of the time since a transaction got its slot, or since no flush was in
// front of it. Without one it costs nothing.
class StarvationGuard {
 public:
  explicit StarvationGuard(std::size_t slots) : due_(slots) {}

  // Before the first admission.
  void limit(std::size_t queue, Cycle cycles) {
    limits_[queue] = cycles;
    waiting_.connect(due_.size(), limits_.size());
  }

  void admit(const Transaction& transaction, std::size_t queue, Cycle now) {
    if (limits_[queue] != kNeverCycle) {
      due_[transaction.slot] = now + limits_[queue];
      waiting_.add(transaction.view, queue);
      next_ = earlier(next_, due_[transaction.slot]);
    }
  }
  void issued(const Transaction& transaction, std::size_t queue) {
    if (limits_[queue] != kNeverCycle && !transaction.overdue) {
      remove(transaction.slot, queue);
    }
  }

  // When the next one becomes overdue; then take() says which, and forgets it.
  Cycle next() const { return next_; }
  TransactionId take() {
    const std::size_t queue = due(0) <= due(1) ? 0 : 1;
    const std::uint32_t slot = waiting_.oldest(queue);
    remove(slot, queue);
    return static_cast<TransactionId>(slot);
  }

  void serialize(Archive& archive) { archive(waiting_, due_, next_); }

 private:
  Cycle due(std::size_t queue) const {
    const std::uint32_t slot =
        limits_[queue] == kNeverCycle ? PendingRequests::kNone : waiting_.oldest(queue);
    return slot == PendingRequests::kNone ? kNeverCycle : due_[slot];
  }
  void remove(std::uint32_t slot, std::size_t queue) {
    waiting_.remove(slot, queue);
    next_ = earlier(due(0), due(1));
  }

  std::array<Cycle, kMemoryClasses> limits_{kNeverCycle, kNeverCycle};
  PendingRequests waiting_;  // a list for each queue
  std::vector<Cycle> due_;   // by slot
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
