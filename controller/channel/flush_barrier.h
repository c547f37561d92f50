// SPDX-License-Identifier: BSD-3-Clause
// Flushes as barriers on one channel. Requests before a flush complete before its command is sent.
// Requests after it wait until all its NVDIMMs have acknowledged it (docs/concepts.md).
#pragma once

#include <cstdint>

#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/ring.h"
#include "core/slot_claims.h"

namespace hmsim {

class FlushBarrier {
 public:
  // State of the oldest flush.
  enum class Stage : std::uint8_t {
    waiting,       // for the requests before it
    sent,          // its command competes, or its ack is pending
    acknowledged,  // by this channel's NVDIMM, but not by all
    passed,        // on all channels; lift() must follow
    last = passed
  };

  // Called when an NVDIMM transaction gets its slot. Returns whether it must wait here until next()
  // returns it.
  bool bars(const Transaction& transaction) {
    if (!transaction.request.flush && barred_.empty()) {
      ++unbarred_;
      return false;
    }
    barred_.push(transaction.slot);
    return true;
  }
  // Reports the completion of a transaction that was not barred.
  void done() { --unbarred_; }
  bool active() const { return !barred_.empty(); }

  // Returns the flush to send now, or nullptr.
  Transaction* due(TransactionPool& pool) {
    if (barred_.empty() || unbarred_ > 0 || stage_ != Stage::waiting ||
        !pool[barred_.front()].request.flush) {
      return nullptr;
    }
    stage_ = Stage::sent;
    return &pool[barred_.front()];
  }
  void acknowledged() { stage_ = Stage::acknowledged; }
  void pass() { stage_ = Stage::passed; }
  Stage stage() const { return stage_; }
  // Removes the flush that has passed from the barred transactions and returns it.
  Transaction& lift(TransactionPool& pool) {
    Transaction& flush = pool[barred_.front()];
    barred_.pop();
    stage_ = Stage::waiting;
    return flush;
  }
  // Returns the next transaction that may proceed, or nullptr at the next flush or the end.
  Transaction* next(TransactionPool& pool) {
    if (barred_.empty() || pool[barred_.front()].request.flush) {
      return nullptr;
    }
    Transaction& free = pool[barred_.front()];
    barred_.pop();
    ++unbarred_;
    return &free;
  }

  // Returns the flush that was sent and is not acknowledged, or nullptr.
  Transaction* sent(TransactionPool& pool) {
    return stage_ == Stage::sent ? &pool[barred_.front()] : nullptr;
  }
  // Returns the flush that is acknowledged and not lifted, or nullptr.
  const Transaction* ended(const TransactionPool& pool) const {
    return stage_ > Stage::sent ? &pool[barred_.front()] : nullptr;
  }

  // `in_front`: number of NVDIMM transactions in slots that are not barred.
  void serialize(Archive& archive, const TransactionPool& pool, std::int64_t in_front) {
    archive(barred_, stage_);
    unbarred_ = in_front;
    SlotClaims places(archive, pool.size(), "flushes");
    barred_.each([&](std::uint32_t slot) {
      places.claim(slot);
      places.check(pool[slot].state == TransactionState::barred);
    });
    places.check(barred_.empty() ? stage_ == Stage::waiting : pool[barred_.front()].request.flush);
  }

 private:
  // Slots in order of arrival, starting with the flush that bars the others.
  Ring<std::uint32_t> barred_;
  std::int64_t unbarred_ = 0;  // NVDIMM transactions in slots that are not barred
  Stage stage_ = Stage::waiting;
};

}  // namespace hmsim
