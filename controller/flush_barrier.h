// SPDX-License-Identifier: BSD-3-Clause
// Flushes of a channel's NVDIMM, as barriers: what comes before a flush is done before it is sent,
// what comes after waits until it is acknowledged (spec 3.4, 6.1).
#pragma once

#include <cstdint>

#include "controller/transaction.h"
#include "core/archive.h"
#include "core/ring.h"

namespace hmsim {

class FlushBarrier {
 public:
  // An NVDIMM transaction gets its slot. True: it is to wait here, until next() names it.
  bool bars(TransactionId id, bool flush) {
    if (!flush && barred_.empty()) {
      ++in_front_;
      return false;
    }
    barred_.push(id);
    return true;
  }
  // One that was not barred is done.
  void done() { --in_front_; }
  bool active() const { return !barred_.empty(); }

  // The flush that is to be sent now. kNoTransaction: none, or not yet.
  TransactionId due(const TransactionPool& pool) {
    if (barred_.empty() || in_front_ > 0 || sent_ || !pool[barred_.front()].request.flush) {
      return kNoTransaction;
    }
    sent_ = true;
    return barred_.front();
  }
  // The flush is acknowledged, and barred no more.
  void lift() {
    barred_.pop();
    sent_ = false;
  }
  // The next one that is free to go. kNoTransaction: none, up to the next flush.
  TransactionId next(const TransactionPool& pool) {
    if (barred_.empty() || pool[barred_.front()].request.flush) {
      return kNoTransaction;
    }
    const TransactionId id = barred_.front();
    barred_.pop();
    ++in_front_;
    return id;
  }

  void serialize(Archive& archive) { archive(barred_, in_front_, sent_); }

 private:
  Ring<TransactionId> barred_;  // in order of arrival, the flush that bars them first
  std::int64_t in_front_ = 0;   // NVDIMM transactions in slots that are not barred
  bool sent_ = false;           // the first one: its ack is still to come
};

}  // namespace hmsim
