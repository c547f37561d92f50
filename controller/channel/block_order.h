// SPDX-License-Identifier: BSD-3-Clause
// Order of a channel's NVDIMM transactions if they may have several lines. A transaction is held
// while an older one that shares a line with it has not been given the data bus for all its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/errors.h"

namespace hmsim {

// Hash chains by page, oldest transaction first. Invariant: the predecessor of a transaction is the
// youngest older one of its chain that shares a line with it.
class BlockOrder {
 public:
  explicit BlockOrder(std::size_t transactions) {
    std::size_t chains = 4;
    while (chains < 4 * transactions) {
      chains *= 2;
      --shift_;
    }
    oldest_.assign(chains, nullptr);
  }

  // Adds a transaction, which is the youngest. Returns whether it must be held.
  bool add(Transaction& added) {
    const Request& request = added.request;
    ensure(Bytes(request.address.value() % kPageBytes.value()) + request.size() <= kPageBytes,
           "channel", request.arrival, static_cast<std::int64_t>(request.id),
           "request that crosses the end of its page");
    added.chain = chain_of(added.request);
    added.chained = nullptr;
    added.predecessor = nullptr;
    Transaction** place = &oldest_[added.chain];
    for (; *place != nullptr; place = &(*place)->chained) {
      if (share_line((*place)->request, added.request)) {
        added.predecessor = *place;
      }
    }
    *place = &added;
    return added.predecessor != nullptr;
  }

  // Removes a transaction. Calls compete(each), oldest first, for those that need not be held any
  // longer.
  template <class Compete>
  void leave(const Transaction& done, Compete compete) {
    Transaction** place = &oldest_[done.chain];
    while (*place != &done) {
      place = &(*place)->chained;
    }
    *place = done.chained;
    for (Transaction* each = done.chained; each != nullptr; each = each->chained) {
      if (each->predecessor == &done) {
        each->predecessor = before(*each);
        if (each->predecessor == nullptr) {
          compete(*each);
        }
      }
    }
  }

  void clear() { oldest_.assign(oldest_.size(), nullptr); }

 private:
  Transaction* before(const Transaction& transaction) const {
    Transaction* youngest = nullptr;
    for (Transaction* each = oldest_[transaction.chain]; each != &transaction;
         each = each->chained) {
      youngest = share_line(each->request, transaction.request) ? each : youngest;
    }
    return youngest;
  }
  static bool share_line(const Request& a, const Request& b) {
    return a.address < b.address + Address(b.size().value()) &&
           b.address < a.address + Address(a.size().value());
  }
  std::uint32_t chain_of(const Request& request) const {
    const auto page = static_cast<std::uint64_t>(request.address / Address(kPageBytes.value()));
    return static_cast<std::uint32_t>((page * 0x9E3779B97F4A7C15u) >> shift_);
  }

  int shift_ = 62;  // keeps the upper log2(chains) bits of a hash
  std::vector<Transaction*> oldest_;
};

}  // namespace hmsim
