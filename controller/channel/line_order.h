// SPDX-License-Identifier: BSD-3-Clause
// Finds the youngest transaction to a line that has not been given the data bus yet, so that
// transactions to one line stay in order under every policy.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/archive.h"

namespace hmsim {

// Hash chains by line, at least four chains per transaction, so that most are empty.
class LineOrder {
 public:
  explicit LineOrder(std::size_t transactions) {
    std::size_t chains = 4;
    while (chains < 4 * transactions) {
      chains *= 2;
      --shift_;
    }
    youngest_.assign(chains, nullptr);
  }

  // Makes `added` the youngest transaction to its line. Returns the previous youngest, or nullptr.
  Transaction* exchange(Transaction& added) {
    added.chain = chain_of(added.request);
    Transaction** place = &youngest_[added.chain];
    for (; *place != nullptr; place = &(*place)->chained) {
      Transaction* const before = *place;
      if (same_line(before->request, added.request)) {
        added.chained = before->chained;
        *place = &added;
        return before;
      }
    }
    added.chained = nullptr;
    *place = &added;
    return nullptr;
  }

  // Removes the line. Precondition: `youngest` is its youngest transaction.
  void leave(const Transaction& youngest) {
    Transaction** place = &youngest_[youngest.chain];
    while (*place != &youngest) {
      place = &(*place)->chained;
    }
    *place = youngest.chained;
  }

  // Returns whether a transaction in this state is in the order.
  static bool has_place(TransactionState state) {
    return state != TransactionState::barred && state != TransactionState::staged &&
           state != TransactionState::transfer;
  }

  // Loading: rebuilds predecessors and successors. `held` is in order of request ids.
  void restore(const Archive& archive, const std::vector<Transaction*>& held) {
    youngest_.assign(youngest_.size(), nullptr);
    for (Transaction* each : held) {
      if (!has_place(each->state)) {
        continue;
      }
      Transaction* const before = exchange(*each);
      archive.check((before != nullptr) == (each->state == TransactionState::held),
                    "transactions to one line out of order");
      each->predecessor = before;
      if (before != nullptr) {
        before->successor = each;
      }
    }
  }

 private:
  static constexpr int kLineBits = 6;  // log2 of kLineBytes

  static bool same_line(const Request& a, const Request& b) {
    return ((a.address.value() ^ b.address.value()) >> kLineBits) == 0 && a.memory == b.memory;
  }
  std::uint32_t chain_of(const Request& request) const {
    const auto line = static_cast<std::uint64_t>(request.address.value()) >> kLineBits;
    return static_cast<std::uint32_t>((line * 0x9E3779B97F4A7C15u) >> shift_);
  }

  int shift_ = 62;  // keeps the upper log2(chains) bits of a hash
  std::vector<Transaction*> youngest_;
};

}  // namespace hmsim
