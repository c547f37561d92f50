// SPDX-License-Identifier: BSD-3-Clause
// The transactions whose data-bus command is issued, in order of their data on the bus.
#pragma once

#include "controller/transaction.h"
#include "core/archive.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

class FinishQueue {
 public:
  // When the last beat of the first one passes; kNeverCycle: there is none.
  Cycle next() const { return next_; }
  bool empty() const { return queue_.empty(); }

  void push(Cycle end, TransactionId id) {
    Finish& last = queue_.push();
    last.end = end;
    last.id = id;
    next_ = earlier(next_, end);
  }
  TransactionId pop() {
    const TransactionId id = queue_.front().id;
    queue_.pop();
    find_next();
    return id;
  }

  void serialize(Archive& archive) {
    archive(queue_);
    find_next();
  }

 private:
  struct Finish {
    Cycle end{0};
    TransactionId id = kNoTransaction;
    void serialize(Archive& archive) { archive(end, id); }
  };
  void find_next() { next_ = queue_.empty() ? kNeverCycle : queue_.front().end; }

  Ring<Finish> queue_;
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
