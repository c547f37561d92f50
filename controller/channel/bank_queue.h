// SPDX-License-Identifier: BSD-3-Clause
// Transactions that compete for one bank, in the order of their policy's keys.
#pragma once

#include <cstdint>

#include "controller/layout/transaction.h"

namespace hmsim {

inline constexpr std::int64_t kNoRow = -1;
inline constexpr std::int64_t kClosingRow = -2;  // open, but no request may hit it

// Returns whether a goes before b.
inline bool goes_before(std::uint64_t key_a, std::uint64_t id_a, std::uint64_t key_b,
                        std::uint64_t id_b) {
  return key_a != key_b ? key_a > key_b : id_a < id_b;
}

inline std::uint64_t key_of(const Transaction& transaction, std::int64_t open_row) {
  return transaction.row == open_row ? transaction.key_hit : transaction.key_miss;
}

// List sorted by key_miss, which gives the right order among hits and among misses (contract of
// TransactionScheduler::key). The best transaction is cached until the list or the open row
// changes.
class BankQueue {
 public:
  bool empty() const { return head_ == nullptr; }

  // Returns whether the added transaction is known to be the best now.
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

  // Moves a transaction whose keys changed to its new position.
  void rekeyed(Transaction& transaction, std::int64_t open_row) {
    remove(transaction);
    insert(transaction, open_row);
  }

  // Returns the policy's best transaction with `open_row` open. Precondition: the queue is not
  // empty. may_hit() is called only when finding a hit requires a walk along the list; it returns
  // false if no transaction hits the row.
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

  // Calls see(transaction) for all, in order of key_miss.
  template <class See>
  void each(See see) const {
    for (Transaction* transaction = head_; transaction != nullptr;
         transaction = transaction->next) {
      see(*transaction);
    }
  }

  // Sorts the list again after many keys changed.
  void rebuild();

  void clear() { head_ = tail_ = best_ = nullptr; }

 private:
  template <class MayHit>
  Transaction* find_best(std::int64_t open_row, const MayHit& may_hit) const {
    if (open_row == kNoRow || head_->row == open_row || head_->next == nullptr || !may_hit()) {
      return head_;  // no hit exists, or the head is a hit that no other outranks
    }
    return find_hit(open_row);
  }
  Transaction* find_hit(std::int64_t open_row) const;

  // Inserts by key. Checks the tail first, then the head, because most new transactions are last
  // and most rekeyed ones first.
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
  Transaction* best_ = nullptr;  // nullptr: not known
};

}  // namespace hmsim
