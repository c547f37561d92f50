// SPDX-License-Identifier: BSD-3-Clause
// Finds the youngest transaction to a line that has not yet been given the data bus, so that
// transactions to one line stay in order whatever the policy does.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/transaction.h"
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
    youngest_.assign(chains, nullptr);
  }

  // The youngest one to the line so far, or nullptr; `added` is the youngest from now on.
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

  // Forgets the line, whose youngest this is.
  void leave(const Transaction& youngest) {
    Transaction** place = &youngest_[youngest.chain];
    while (*place != &youngest) {
      place = &(*place)->chained;
    }
    *place = youngest.chained;
  }

  // Loading: who is behind whom, of `held` in order of their requests.
  void restore(const Archive& archive, const std::vector<Transaction*>& held) {
    youngest_.assign(youngest_.size(), nullptr);
    for (Transaction* each : held) {
      if (!has_place(each->state)) {
        continue;
      }
      Transaction* const before = exchange(*each);
      archive.check((before != nullptr) == (each->state == TransactionState::held),
                    "transactions to one line are not in order");
      each->predecessor = before;
      if (before != nullptr) {
        before->successor = each;
      }
    }
  }

 private:
  static constexpr int kLineBits = 6;  // log2 of kLineBytes

  static bool has_place(TransactionState state) {
    return state != TransactionState::barred && state != TransactionState::staged &&
           state != TransactionState::transfer;
  }
  static bool same_line(const Request& a, const Request& b) {
    return ((a.address.value() ^ b.address.value()) >> kLineBits) == 0 && a.memory == b.memory;
  }
  std::uint32_t chain_of(const Request& request) const {
    const auto line = static_cast<std::uint64_t>(request.address.value()) >> kLineBits;
    return static_cast<std::uint32_t>((line * 0x9E3779B97F4A7C15u) >> shift_);
  }

  int shift_ = 62;  // from a hash to its log2 of chains upper bits
  std::vector<Transaction*> youngest_;
};

}  // namespace hmsim
