// SPDX-License-Identifier: BSD-3-Clause
#include "controller/nvdimm_endpoint.h"

namespace hmsim {

namespace {

std::uint64_t bit(std::int32_t bank) { return std::uint64_t{1} << bank; }

}  // namespace

NvdimmEndpoint::NvdimmEndpoint(int rank, std::int64_t pseudo_banks, std::int64_t outstanding_limit,
                               bool posts_writes, const TimingModel& engine, TransactionPool& pool)
    : rank_(rank),
      outstanding_limit_(outstanding_limit),
      posts_writes_(posts_writes),
      engine_(engine),
      pool_(pool),
      banks_(static_cast<std::size_t>(pseudo_banks)) {}

void NvdimmEndpoint::insert(TransactionId id) {
  const std::int32_t index = pool_[id].bank;
  PseudoBank& bank = banks_[static_cast<std::size_t>(index)];
  const bool posted = is_posted(id);
  (posted ? bank.posted : bank.queued).insert(pool_, id, bank.last_page);
  (posted ? posted_ : queued_) |= bit(index);
}

void NvdimmEndpoint::remove(TransactionId id) {
  const std::int32_t index = pool_[id].bank;
  PseudoBank& bank = banks_[static_cast<std::size_t>(index)];
  const bool posted = is_posted(id);
  BankQueue& list = posted ? bank.posted : bank.queued;
  list.remove(pool_, id);
  if (list.empty()) {
    (posted ? posted_ : queued_) &= ~bit(index);
  }
}

void NvdimmEndpoint::command_sent(TransactionId id) {
  remove(id);
  page_accessed(pool_[id]);
  ++outstanding_;
}

void NvdimmEndpoint::posted(TransactionId id) {
  remove(id);
  page_accessed(pool_[id]);
}

TransactionId NvdimmEndpoint::next_posted() { return first_of(posted_, &PseudoBank::posted)->id; }

void NvdimmEndpoint::page_accessed(const Transaction& transaction) {
  PseudoBank& bank = banks_[static_cast<std::size_t>(transaction.bank)];
  if (bank.last_page != transaction.row) {
    bank.last_page = transaction.row;
    bank.queued.row_changed();
    bank.posted.row_changed();
    bank.ready.row_changed();
  }
}

void NvdimmEndpoint::take_ack() {
  acks_.pop();
  --outstanding_;
}

void NvdimmEndpoint::insert_ready(TransactionId id, Cycle grant_from) {
  Transaction& transaction = pool_[id];
  transaction.grant_from = grant_from;
  PseudoBank& bank = banks_[static_cast<std::size_t>(transaction.bank)];
  bank.ready.insert(pool_, id, bank.last_page);
  ready_ |= bit(transaction.bank);
}

void NvdimmEndpoint::granted(TransactionId id) {
  const std::int32_t index = pool_[id].bank;
  PseudoBank& bank = banks_[static_cast<std::size_t>(index)];
  bank.ready.remove(pool_, id);
  if (bank.ready.empty()) {
    ready_ &= ~bit(index);
  }
}

void NvdimmEndpoint::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  for (std::uint64_t banks = ready_; banks != 0; banks &= banks - 1) {
    PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
    const TransactionId id = bank.ready.best(pool_, bank.last_page);
    const Transaction& transaction = pool_[id];
    const Cycle earliest = later(earliest_burst(transaction), transaction.grant_from);
    if (earliest <= edge + turnaround) {
      bank.burst = {id, burst_of(transaction), key_of(transaction, bank.last_page),
                    transaction.request.id};
      Candidates::consider((earliest <= edge ? candidates.legal : candidates.near)[1], bank.burst);
    }
  }
}

void NvdimmEndpoint::collect_others(Candidates& candidates) {
  Candidates::consider_older(candidates.other, *first_of(queued_, &PseudoBank::queued));
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

Cycle NvdimmEndpoint::next(Cycle edge) {
  if (may_send()) {
    return edge;
  }
  Cycle next = kNeverCycle;
  for (std::uint64_t banks = ready_; banks != 0; banks &= banks - 1) {
    PseudoBank& bank = banks_[static_cast<std::size_t>(__builtin_ctzll(banks))];
    const Transaction& transaction = pool_[bank.ready.best(pool_, bank.last_page)];
    next = earlier(next, later(earliest_burst(transaction), transaction.grant_from));
  }
  return next == kNeverCycle ? next : later(edge, next);
}

void NvdimmEndpoint::rebuild() {
  for (PseudoBank& bank : banks_) {
    bank.queued.rebuild(pool_);
    bank.posted.rebuild(pool_);
    bank.ready.rebuild(pool_);
  }
}

void NvdimmEndpoint::serialize(Archive& archive) {
  archive(banks_, acks_, queued_, posted_, ready_, outstanding_);
}

}  // namespace hmsim
