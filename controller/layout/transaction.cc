// SPDX-License-Identifier: BSD-3-Clause
#include "controller/layout/transaction.h"

#include <algorithm>

#include "core/slot_claims.h"

namespace hmsim {

void LatencyMarks::serialize(Archive& archive) {
  archive(first_command, entered, competes, queueing, bank, bus, refresh, activated_at,
          activate_held);
}

void Transaction::serialize(Archive& archive) {
  archive(request, row, grant_from, state, started, activated, urgent, overdue, bursts, admitted,
          finishes, marks);
  if (state != TransactionState::transfer) {  // keys are no longer used
    archive(key_miss, key_hit);
  }
}

std::vector<bool> TransactionPool::free_slots() const {
  std::vector<bool> free(slots_.size());
  for (const Transaction* each = first_free_; each != nullptr; each = each->next) {
    free[each->slot] = true;
  }
  return free;
}

std::vector<Transaction*> TransactionPool::held() {
  const std::vector<bool> free = free_slots();
  std::vector<Transaction*> held;
  for (Transaction& each : slots_) {
    if (!free[each.slot]) {
      held.push_back(&each);
    }
  }
  std::sort(held.begin(), held.end(), [](const Transaction* a, const Transaction* b) {
    return a->request.id < b->request.id;
  });
  return held;
}

void TransactionPool::serialize(Archive& archive) {
  std::vector<std::uint32_t> free;
  for (const Transaction* each = first_free_; each != nullptr; each = each->next) {
    free.push_back(each->slot);
  }
  archive(free);
  if (archive.loading()) {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      slots_[slot] = Transaction();
      slots_[slot].slot = static_cast<std::uint32_t>(slot);
    }
    SlotClaims places(archive, slots_.size(), "free slots");
    first_free_ = nullptr;
    taken_ = slots_.size();
    for (auto slot = free.rbegin(); slot != free.rend(); ++slot) {
      places.claim(*slot);
      release(slots_[*slot]);
    }
  }
  const std::vector<bool> unused = free_slots();
  for (Transaction& each : slots_) {
    if (!unused[each.slot]) {
      archive(each);
    }
  }
}

}  // namespace hmsim
