// SPDX-License-Identifier: BSD-3-Clause
#include "controller/nvdimm_endpoint.h"

namespace hmsim {

NvdimmEndpoint::NvdimmEndpoint(int rank, std::int64_t pseudo_banks, std::int64_t outstanding_limit,
                               bool posts_writes, const TimingModel& engine, TransactionPool& pool)
    : rank_(rank),
      outstanding_limit_(outstanding_limit),
      posts_writes_(posts_writes),
      engine_(engine),
      pool_(pool),
      banks_(static_cast<std::size_t>(pseudo_banks)) {}

void NvdimmEndpoint::posted(TransactionId id) {
  remove(id);
  page_accessed(pool_[id]);
}

TransactionId NvdimmEndpoint::next_posted() { return first_of(posted_, &PseudoBank::posted)->id; }

void NvdimmEndpoint::change_page(const Transaction& transaction) {
  PseudoBank& bank = bank_of(transaction);
  bank.last_page = transaction.row;
  bank.queued.row_changed();
  bank.posted.row_changed();
  bank.ready.row_changed();
  forget();
}

void NvdimmEndpoint::look(Cycle edge, Cycle turnaround, Candidates& candidates) {
  ready_from_ = kNeverCycle;
  for (std::uint64_t banks = ready_; banks != 0; banks &= banks - 1) {
    PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
    const TransactionId id = bank.ready.best(pool_, bank.last_page);
    const Transaction& transaction = pool_[id];
    const Cycle earliest = ready_from(transaction);
    ready_from_ = earlier(ready_from_, earliest);
    if (earliest <= edge + turnaround) {
      bank.burst = {id, burst_of(transaction), key_of(transaction, bank.last_page),
                    transaction.request.id};
      Candidates::consider((earliest <= edge ? candidates.legal : candidates.near)[1], bank.burst);
    }
  }
}

void NvdimmEndpoint::find_ready_from() {
  ready_from_ = kNeverCycle;
  for (std::uint64_t banks = ready_; banks != 0; banks &= banks - 1) {
    PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
    ready_from_ = earlier(ready_from_, ready_from(pool_[bank.ready.best(pool_, bank.last_page)]));
  }
}

const Best* NvdimmEndpoint::first_of(std::uint64_t banks, BankQueue PseudoBank::*list) {
  const Best* first = nullptr;
  for (; banks != 0; banks &= banks - 1) {
    PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
    const TransactionId id = (bank.*list).best(pool_, bank.last_page);
    const Transaction& transaction = pool_[id];
    bank.command = {id, burst_of(transaction), by_key_ ? key_of(transaction, bank.last_page) : 0,
                    transaction.request.id};
    Candidates::consider(first, bank.command);
  }
  return first;
}

void NvdimmEndpoint::rebuild() {
  for (PseudoBank& bank : banks_) {
    bank.queued.rebuild(pool_);
    bank.posted.rebuild(pool_);
    bank.ready.rebuild(pool_);
  }
  forget();
}

void NvdimmEndpoint::serialize(Archive& archive) {
  archive(banks_, acks_, queued_, posted_, ready_, outstanding_, gates_, ready_from_);
}

}  // namespace hmsim
