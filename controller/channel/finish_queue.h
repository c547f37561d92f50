// SPDX-License-Identifier: BSD-3-Clause
// Transactions whose data-bus command is issued, in the order of their data on the bus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/errors.h"
#include "core/types.h"

namespace hmsim {

// A list through Transaction::next, which is free because these transactions no longer compete.
// With one data bus, no two finish on the same edge. With several, those that do are ordered by
// slot.
class FinishQueue {
 public:
  explicit FinishQueue(bool several_buses = false) : several_buses_(several_buses) {}

  // Returns the edge of the last beat of the first burst; kNeverCycle if empty.
  Cycle next() const { return next_; }
  bool empty() const { return first_ == nullptr; }

  void push(Cycle end, Transaction& transaction) {
    transaction.finishes = end;
    transaction.next = nullptr;
    if (first_ == nullptr) {
      first_ = &transaction;
      next_ = end;
    } else if (end <= last_->finishes && several_buses_) {
      insert(end, transaction);
      return;
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

  // Loading: adds the transactions of `held` whose data-bus command is issued.
  void restore(std::vector<Transaction*> held) {
    held.erase(std::remove_if(held.begin(), held.end(),
                              [](const Transaction* each) {
                                return each->state != TransactionState::transfer;
                              }),
               held.end());
    std::sort(held.begin(), held.end(), [](const Transaction* a, const Transaction* b) {
      return a->finishes != b->finishes ? a->finishes < b->finishes : a->slot < b->slot;
    });
    *this = FinishQueue(several_buses_);
    for (Transaction* each : held) {
      push(each->finishes, *each);
    }
  }

 private:
  // Inserts in order; the position may be the last.
  void insert(Cycle end, Transaction& transaction) {
    const auto goes_before = [&](const Transaction& other) {
      return other.finishes < end || (other.finishes == end && other.slot < transaction.slot);
    };
    if (!goes_before(*first_)) {
      transaction.next = first_;
      first_ = &transaction;
      next_ = end;
      return;
    }
    Transaction* before = first_;
    while (before->next != nullptr && goes_before(*before->next)) {
      before = before->next;
    }
    transaction.next = before->next;
    before->next = &transaction;
    last_ = transaction.next == nullptr ? &transaction : last_;
  }

  bool several_buses_;
  Transaction* first_ = nullptr;
  Transaction* last_ = nullptr;
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
