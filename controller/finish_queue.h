// SPDX-License-Identifier: BSD-3-Clause
// The transactions whose data-bus command is issued, in order of their data on the bus.
#pragma once

#include "controller/transaction.h"
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

  void serialize(Archive& archive, TransactionPool& pool) {
    pool.serialize_links(archive, first_, last_);
    archive(next_);
  }

 private:
  Transaction* first_ = nullptr;
  Transaction* last_ = nullptr;
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
