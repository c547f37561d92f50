// SPDX-License-Identifier: BSD-3-Clause
// The transactions whose data-bus command is issued, in order of their data on the bus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controller/channel/transaction.h"
#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"

namespace hmsim {

// A list by Transaction::next: they compete for nothing any longer. One data bus, so no two finish
// on the same edge.
class FinishQueue {
 public:
  // When the last beat of the first one passes; kNeverCycle: there is none.
  Cycle next() const { return next_; }
  bool empty() const { return first_ == nullptr; }

  void push(Cycle end, Transaction& transaction) {
    transaction.finishes = end;
    transaction.next = nullptr;
    if (first_ == nullptr) {
      first_ = &transaction;
      next_ = end;
    } else {
      ensure(end > last_->finishes, "finish queue", transaction.request.arrival,
             static_cast<std::int64_t>(transaction.request.id),
             "the burst of this request, which arrived then, overlaps the one before");
      last_->next = &transaction;
    }
    last_ = &transaction;
  }
  Transaction& pop() {
    Transaction& done = *first_;
    first_ = done.next;
    next_ = first_ == nullptr ? kNeverCycle : first_->finishes;
    return done;
  }

  // Loading: those of `held` whose command is issued; none was finished by `edge`.
  void restore(const Archive& archive, std::vector<Transaction*> held, Cycle edge) {
    held.erase(std::remove_if(held.begin(), held.end(),
                              [](const Transaction* each) {
                                return each->state != TransactionState::transfer;
                              }),
               held.end());
    std::sort(held.begin(), held.end(), [](const Transaction* a, const Transaction* b) {
      return a->finishes != b->finishes ? a->finishes < b->finishes : a->slot < b->slot;
    });
    *this = FinishQueue();
    for (Transaction* each : held) {
      archive.check(each->finishes > edge, "a burst ends with another, or in the past");
      edge = each->finishes;
      push(edge, *each);
    }
  }

 private:
  Transaction* first_ = nullptr;
  Transaction* last_ = nullptr;
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
