// SPDX-License-Identifier: BSD-3-Clause
#include "controller/bank_queue.h"

namespace hmsim {

// The head misses the open row: the first hit behind it, if that outranks it, or the head.
TransactionId BankQueue::find_hit(const TransactionPool& pool, std::int64_t open_row) const {
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
