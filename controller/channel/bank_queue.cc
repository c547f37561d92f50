// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/bank_queue.h"

namespace hmsim {

// Called when the head misses the open row. Returns the first hit after the head if it outranks the
// head, otherwise the head.
Transaction* BankQueue::find_hit(std::int64_t open_row) const {
  const Transaction& first_miss = *head_;
  for (Transaction* hit = first_miss.next; hit != nullptr; hit = hit->next) {
    if (hit->row == open_row) {
      const bool hit_first =
          goes_before(hit->key_hit, hit->request.id, first_miss.key_miss, first_miss.request.id);
      return hit_first ? hit : head_;
    }
  }
  return head_;
}

void BankQueue::rebuild() {
  Transaction* each = head_;
  head_ = nullptr;
  tail_ = nullptr;
  best_ = nullptr;
  while (each != nullptr) {
    Transaction* const next = each->next;
    link(*each);
    each = next;
  }
}

}  // namespace hmsim
