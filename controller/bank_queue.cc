// SPDX-License-Identifier: BSD-3-Clause
#include "controller/bank_queue.h"

namespace hmsim {

void BankQueue::link(TransactionPool& pool, TransactionId id) {
  Transaction& added = pool[id];
  TransactionId before = tail_;
  while (before != kNoTransaction && goes_before(added.key_miss, added.request.id,
                                                 pool[before].key_miss, pool[before].request.id)) {
    before = pool[before].previous;
  }
  added.previous = before;
  added.next = before == kNoTransaction ? head_ : pool[before].next;
  (added.previous == kNoTransaction ? head_ : pool[added.previous].next) = id;
  (added.next == kNoTransaction ? tail_ : pool[added.next].previous) = id;
}

void BankQueue::insert(TransactionPool& pool, TransactionId id, std::int64_t open_row) {
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
}

void BankQueue::remove(TransactionPool& pool, TransactionId id) {
  Transaction& removed = pool[id];
  (removed.previous == kNoTransaction ? head_ : pool[removed.previous].next) = removed.next;
  (removed.next == kNoTransaction ? tail_ : pool[removed.next].previous) = removed.previous;
  removed.previous = kNoTransaction;
  removed.next = kNoTransaction;
  if (best_ == id) {
    best_ = kNoTransaction;
  }
}

TransactionId BankQueue::find_best(const TransactionPool& pool, std::int64_t open_row) const {
  if (open_row == kNoRow || pool[head_].row == open_row) {
    return head_;  // no hits at all; or a hit that no other can outrank
  }
  const Transaction& first_miss = pool[head_];
  for (TransactionId id = first_miss.next; id != kNoTransaction; id = pool[id].next) {
    if (pool[id].row == open_row) {
      const bool hit_first = goes_before(pool[id].key_hit, pool[id].request.id, first_miss.key_miss,
                                         first_miss.request.id);
      return hit_first ? id : head_;
    }
  }
  return head_;
}

void BankQueue::rebuild(TransactionPool& pool) {
  TransactionId id = head_;
  head_ = kNoTransaction;
  tail_ = kNoTransaction;
  best_ = kNoTransaction;
  while (id != kNoTransaction) {
    const TransactionId next = pool[id].next;
    link(pool, id);
    id = next;
  }
}

}  // namespace hmsim
