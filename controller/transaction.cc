// SPDX-License-Identifier: BSD-3-Clause
#include "controller/transaction.h"

#include "core/errors.h"

namespace hmsim {

void TransactionPool::serialize_link(Archive& archive, Transaction*& link) {
  std::uint64_t number = link == nullptr ? 0 : link->slot + std::uint64_t{1};
  archive(number);
  if (archive.loading()) {
    if (number > slots_.size()) {
      throw InputError("the checkpoint is damaged: there is no such transaction");
    }
    link = number == 0 ? nullptr : &slots_[number - 1];
  }
}

void TransactionPool::serialize(Archive& archive) {
  for (Transaction& each : slots_) {
    archive(each);
    serialize_links(archive, each.previous, each.next, each.chained, each.successor,
                    each.predecessor);
  }
  serialize_links(archive, first_free_);
  archive(taken_);
}

}  // namespace hmsim
