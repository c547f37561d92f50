// SPDX-License-Identifier: BSD-3-Clause
// The transactions that compete for one bank, in the order of their policy's keys.
#pragma once

#include <cstdint>

#include "controller/channel/transaction.h"

namespace hmsim {

inline constexpr std::int64_t kNoRow = -1;
inline constexpr std::int64_t kClosingRow = -2;  // open, but no request may hit it

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
  bool empty() const { return head_ == nullptr; }

  // Returns whether it is known to be the best now.
  bool insert(Transaction& added, std::int64_t open_row) {
    const bool was_empty = empty();
    link(added);
    if (was_empty ||
        (best_ != nullptr && goes_before(key_of(added, open_row), added.request.id,
                                         key_of(*best_, open_row), best_->request.id))) {
      best_ = &added;
    }
    return best_ == &added;
  }

  void remove(const Transaction& removed) {
    (removed.previous == nullptr ? head_ : removed.previous->next) = removed.next;
    (removed.next == nullptr ? tail_ : removed.next->previous) = removed.previous;
    if (best_ == &removed) {
      best_ = nullptr;
    }
  }

  // Its keys are others now.
  void rekeyed(Transaction& transaction, std::int64_t open_row) {
    remove(transaction);
    insert(transaction, open_row);
  }

  // The policy's best with `open_row` open; the queue is not empty. `may_hit`() is asked where only
  // a walk would show whether a transaction hits the row; false: none does.
  template <class MayHit>
  Transaction& best(std::int64_t open_row, const MayHit& may_hit) {
    if (best_ == nullptr) {
      best_ = find_best(open_row, may_hit);
    }
    return *best_;
  }
  Transaction& best(std::int64_t open_row) {
    return best(open_row, [] { return true; });
  }
  void row_changed() { best_ = nullptr; }

  // Keys of many of its transactions changed: sorts again.
  void rebuild();

  void clear() { head_ = tail_ = best_ = nullptr; }

 private:
  template <class MayHit>
  Transaction* find_best(std::int64_t open_row, const MayHit& may_hit) const {
    if (open_row == kNoRow || head_->row == open_row || head_->next == nullptr || !may_hit()) {
      return head_;  // no hits at all; or a hit that no other can outrank
    }
    return find_hit(open_row);
  }
  Transaction* find_hit(std::int64_t open_row) const;

  // Most are the last in their bank, or the first, if their keys changed: these places are looked
  // at first.
  void link(Transaction& added) {
    const auto goes_before_this = [&added](const Transaction& other) {
      return goes_before(added.key_miss, added.request.id, other.key_miss, other.request.id);
    };
    Transaction* before = tail_;
    if (before != nullptr && goes_before_this(*before)) {
      if (goes_before_this(*head_)) {
        before = nullptr;
      } else {
        do {
          before = before->previous;
        } while (goes_before_this(*before));
      }
    }
    added.previous = before;
    added.next = before == nullptr ? head_ : before->next;
    (before == nullptr ? head_ : before->next) = &added;
    (added.next == nullptr ? tail_ : added.next->previous) = &added;
  }

  Transaction* head_ = nullptr;
  Transaction* tail_ = nullptr;
  Transaction* best_ = nullptr;  // nullptr: to be found
};

}  // namespace hmsim
