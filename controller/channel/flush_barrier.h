// SPDX-License-Identifier: BSD-3-Clause
// Flushes of a channel's NVDIMM, as barriers: what comes before a flush is done before it is sent,
// what comes after waits until it is acknowledged (docs/concepts.md).
#pragma once

#include <cstdint>

#include "controller/channel/transaction.h"
#include "core/archive.h"
#include "core/places.h"
#include "core/ring.h"

namespace hmsim {

class FlushBarrier {
 public:
  // An NVDIMM transaction gets its slot. True: it is to wait here, until next() names it.
  bool bars(const Transaction& transaction) {
    if (!transaction.request.flush && barred_.empty()) {
      ++in_front_;
      return false;
    }
    barred_.push(transaction.slot);
    return true;
  }
  // One that was not barred is done.
  void done() { --in_front_; }
  bool active() const { return !barred_.empty(); }

  // The flush that is to be sent now. nullptr: none, or not yet.
  Transaction* due(TransactionPool& pool) {
    if (barred_.empty() || in_front_ > 0 || sent_ || !pool[barred_.front()].request.flush) {
      return nullptr;
    }
    sent_ = true;
    return &pool[barred_.front()];
  }
  // The flush is acknowledged, and barred no more.
  void lift() {
    barred_.pop();
    sent_ = false;
  }
  // The next one that is free to go. nullptr: none, up to the next flush.
  Transaction* next(TransactionPool& pool) {
    if (barred_.empty() || pool[barred_.front()].request.flush) {
      return nullptr;
    }
    Transaction& free = pool[barred_.front()];
    barred_.pop();
    ++in_front_;
    return &free;
  }

  // The flush that was sent and is not acknowledged; nullptr: none.
  Transaction* sent(TransactionPool& pool) { return sent_ ? &pool[barred_.front()] : nullptr; }

  // `in_front`: NVDIMM transactions in slots that are not barred; the others are all here.
  void serialize(Archive& archive, const TransactionPool& pool, std::int64_t in_front,
                 std::int64_t barred) {
    archive(barred_, sent_);
    in_front_ = in_front;
    Places places(archive, pool.size(), "flushes");
    barred_.each([&](std::uint32_t slot) {
      places.take(slot);
      places.check(pool[slot].state == TransactionState::barred);
    });
    places.check(static_cast<std::int64_t>(places.count()) == barred);
    places.check(barred_.empty() || pool[barred_.front()].request.flush);
    places.check(!sent_ || (!barred_.empty() && in_front == 0));
  }

 private:
  Ring<std::uint32_t> barred_;  // slots, in order of arrival, the flush that bars them first
  std::int64_t in_front_ = 0;   // NVDIMM transactions in slots that are not barred
  bool sent_ = false;           // the first one: its ack is still to come
};

}  // namespace hmsim
