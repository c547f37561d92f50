// SPDX-License-Identifier: BSD-3-Clause
// The best of the banks' best transactions: a winner tree over the banks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "controller/channel/bank_queue.h"
#include "controller/layout/transaction.h"

namespace hmsim {

class BankLeaders {
 public:
  explicit BankLeaders(std::size_t banks) {
    while (leaves_ < banks) {
      leaves_ *= 2;
    }
    tree_.resize(2 * leaves_);
  }

  // Records the bank's best transaction; nullptr: it has none. Takes time logarithmic in the number
  // of banks.
  void set(std::size_t bank, Transaction* transaction, std::uint64_t key) {
    Leader best;
    if (transaction != nullptr) {
      best = {key, transaction->request.id, transaction};
    }
    std::size_t node = leaves_ + bank;
    for (tree_[node] = best; node > 1; tree_[node] = best) {
      const Leader& other = tree_[node ^ 1];
      if (goes_before(other.key, other.id, best.key, best.id)) {
        best = other;
      }
      node /= 2;
    }
  }
  // Returns the best of all banks, or nullptr.
  Transaction* best() const { return tree_[1].transaction; }

 private:
  struct Leader {
    std::uint64_t key = 0;
    std::uint64_t id = std::numeric_limits<std::uint64_t>::max();
    Transaction* transaction = nullptr;
  };

  std::size_t leaves_ = 1;
  std::vector<Leader> tree_;  // node n has the children 2 n and 2 n + 1; leaves are the banks
};

}  // namespace hmsim
