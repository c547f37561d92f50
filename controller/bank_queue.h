// SPDX-License-Identifier: BSD-3-Clause
// The transactions that compete for one bank, in the order of their policy's keys.
#pragma once

#include <cstdint>

#include "controller/transaction.h"
#include "core/archive.h"

namespace hmsim {

inline constexpr std::int64_t kNoRow = -1;
inline constexpr std::int64_t kCondemnedRow = -2;  // open, but no request may hit it

// True when a goes before b, given their keys.
inline bool goes_before(std::uint64_t key_a, std::uint64_t id_a, std::uint64_t key_b,
                        std::uint64_t id_b) {
  return key_a != key_b ? key_a > key_b : id_a < id_b;
}

inline std::uint64_t key_of(const Transaction& transaction, std::int64_t open_row) {
  return transaction.row == open_row ? transaction.key_hit : transaction.key_miss;
}

// A list sorted by key_miss, which is the order within hits and within misses alike (the contract
// of TransactionScheduler::key). The best one is remembered until the list or the open row changes.
class BankQueue {
 public:
  bool empty() const { return head_ == kNoTransaction; }

  // Returns whether it is known to be the best now.
  bool insert(TransactionPool& pool, TransactionId id, std::int64_t open_row) {
    const bool was_empty = empty();
    link(pool, id);
    if (was_empty) {
      best_ = id;
    } else if (best_ != kNoTransaction) {
      const Transaction& added = pool[id];
      const Transaction& best = pool[best_];
      if (goes_before(key_of(added, open_row), added.request.id, key_of(best, open_row),
                      best.request.id)) {
        best_ = id;
      }
    }
    return best_ == id;
  }

  void remove(TransactionPool& pool, const Transaction& removed) {
    (removed.previous == kNoTransaction ? head_ : pool[removed.previous].next) = removed.next;
    (removed.next == kNoTransaction ? tail_ : pool[removed.next].previous) = removed.previous;
    if (best_ == static_cast<TransactionId>(removed.slot)) {
      best_ = kNoTransaction;
    }
  }

  // The policy's best with `open_row` open; the queue is not empty.
  TransactionId best(const TransactionPool& pool, std::int64_t open_row) {
    if (best_ == kNoTransaction) {
      best_ = find_best(pool, open_row);
    }
    return best_;
  }
  void row_changed() { best_ = kNoTransaction; }

  // Keys of its transactions changed: sorts again.
  void rebuild(TransactionPool& pool);

  void serialize(Archive& archive) { archive(head_, tail_, best_); }

 private:
  TransactionId find_best(const TransactionPool& pool, std::int64_t open_row) const {
    const Transaction& first = pool[head_];
    if (open_row == kNoRow || first.row == open_row || first.next == kNoTransaction) {
      return head_;  // no hits at all; or a hit that no other can outrank
    }
    return find_hit(pool, open_row);
  }
  TransactionId find_hit(const TransactionPool& pool, std::int64_t open_row) const;

  // Most are the last in their bank: the search for the place begins there.
  void link(TransactionPool& pool, TransactionId id) {
    Transaction& added = pool[id];
    TransactionId before = tail_;
    while (before != kNoTransaction &&
           goes_before(added.key_miss, added.request.id, pool[before].key_miss,
                       pool[before].request.id)) {
      before = pool[before].previous;
    }
    added.previous = before;
    added.next = before == kNoTransaction ? head_ : pool[before].next;
    (added.previous == kNoTransaction ? head_ : pool[added.previous].next) = id;
    (added.next == kNoTransaction ? tail_ : pool[added.next].previous) = id;
  }

  TransactionId head_ = kNoTransaction;
  TransactionId tail_ = kNoTransaction;
  TransactionId best_ = kNoTransaction;  // kNoTransaction: to be found
};

}  // namespace hmsim
