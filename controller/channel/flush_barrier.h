// SPDX-License-Identifier: BSD-3-Clause
// Flushes as barriers on one channel: the requests before a flush are done before its command is
// sent, and the requests after it wait until all its NVDIMMs have acknowledged theirs
// (docs/concepts.md).
#pragma once

#include <cstdint>

#include "controller/channel/transaction.h"
#include "core/archive.h"
#include "core/places.h"
#include "core/ring.h"

namespace hmsim {

class FlushBarrier {
 public:
  // State of the first flush.
  enum class Stage : std::uint8_t {
    waiting,       // for the requests before it
    sent,          // its command competes, or its ack is still to come
    acknowledged,  // by this channel's NVDIMM, but not by all
    passed,        // on all channels: lift() is to follow
    last = passed
  };

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
    if (barred_.empty() || in_front_ > 0 || stage_ != Stage::waiting ||
        !pool[barred_.front()].request.flush) {
      return nullptr;
    }
    stage_ = Stage::sent;
    return &pool[barred_.front()];
  }
  void acknowledged() { stage_ = Stage::acknowledged; }
  void pass() { stage_ = Stage::passed; }
  Stage stage() const { return stage_; }
  // The flush that passed is barred no more.
  Transaction& lift(TransactionPool& pool) {
    Transaction& flush = pool[barred_.front()];
    barred_.pop();
    stage_ = Stage::waiting;
    return flush;
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
  Transaction* sent(TransactionPool& pool) {
    return stage_ == Stage::sent ? &pool[barred_.front()] : nullptr;
  }
  // The flush that is acknowledged and not lifted; nullptr: none.
  const Transaction* ended(const TransactionPool& pool) const {
    return stage_ > Stage::sent ? &pool[barred_.front()] : nullptr;
  }

  // `in_front`: NVDIMM transactions in slots that are not barred.
  void serialize(Archive& archive, const TransactionPool& pool, std::int64_t in_front) {
    archive(barred_, stage_);
    in_front_ = in_front;
    Places places(archive, pool.size(), "flushes");
    barred_.each([&](std::uint32_t slot) {
      places.take(slot);
      places.check(pool[slot].state == TransactionState::barred);
    });
    places.check(barred_.empty() ? stage_ == Stage::waiting : pool[barred_.front()].request.flush);
  }

 private:
  Ring<std::uint32_t> barred_;  // slots, in order of arrival, the flush that bars them first
  std::int64_t in_front_ = 0;   // NVDIMM transactions in slots that are not barred
  Stage stage_ = Stage::waiting;
};

}  // namespace hmsim
