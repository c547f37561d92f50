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

  void insert(TransactionPool& pool, TransactionId id, std::int64_t open_row);
  void remove(TransactionPool& pool, TransactionId id);

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
  TransactionId find_best(const TransactionPool& pool, std::int64_t open_row) const;
  void link(TransactionPool& pool, TransactionId id);

  TransactionId head_ = kNoTransaction;
  TransactionId tail_ = kNoTransaction;
  TransactionId best_ = kNoTransaction;  // kNoTransaction: to be found
};

}  // namespace hmsim
