// SPDX-License-Identifier: BSD-3-Clause
// Finds the youngest transaction to a line that has not yet been given the data bus, so that
// transactions to one line stay in order whatever the policy does.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/transaction.h"
#include "core/archive.h"

namespace hmsim {

// Chains by a hash of the line, four for each transaction, so that most are empty.
class LineOrder {
 public:
  explicit LineOrder(std::size_t transactions) {
    std::size_t chains = 4;
    while (chains < 4 * transactions) {
      chains *= 2;
      --shift_;
    }
    youngest_.assign(chains, kNoTransaction);
  }

  // The youngest one to the line so far, or kNoTransaction; `id` is the youngest from now on.
  TransactionId exchange(TransactionPool& pool, TransactionId id) {
    Transaction& added = pool[id];
    added.chain = chain_of(added.request);
    TransactionId* place = &youngest_[added.chain];
    for (; *place != kNoTransaction; place = &pool[*place].chained) {
      const TransactionId before = *place;
      if (same_line(pool[before].request, added.request)) {
        added.chained = pool[before].chained;
        *place = id;
        return before;
      }
    }
    added.chained = kNoTransaction;
    *place = id;
    return kNoTransaction;
  }

  // Forgets the line, whose youngest this is.
  void leave(TransactionPool& pool, const Transaction& youngest) {
    TransactionId* place = &youngest_[youngest.chain];
    while (*place != static_cast<TransactionId>(youngest.slot)) {
      place = &pool[*place].chained;
    }
    *place = youngest.chained;
  }

  void serialize(Archive& archive) { archive(youngest_); }

 private:
  static constexpr int kLineBits = 6;  // log2 of kLineBytes

  static bool same_line(const Request& a, const Request& b) {
    return ((a.address.value() ^ b.address.value()) >> kLineBits) == 0 && a.memory == b.memory;
  }
  std::uint32_t chain_of(const Request& request) const {
    const auto line = static_cast<std::uint64_t>(request.address.value()) >> kLineBits;
    return static_cast<std::uint32_t>((line * 0x9E3779B97F4A7C15u) >> shift_);
  }

  int shift_ = 62;  // from a hash to its log2 of chains upper bits
  std::vector<TransactionId> youngest_;
};

}  // namespace hmsim
