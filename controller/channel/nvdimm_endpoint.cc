// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/nvdimm_endpoint.h"

#include <algorithm>

namespace hmsim {

NvdimmEndpoint::NvdimmEndpoint(const PseudoBanks& pseudo_banks, std::int64_t outstanding_limit,
                               bool posts_writes, const NvdimmTiming& timing, TransactionPool& pool)
    : pseudo_banks_(pseudo_banks),
      outstanding_limit_(outstanding_limit),
      posts_writes_(posts_writes),
      timing_(timing),
      pool_(pool),
      banks_(static_cast<std::size_t>(std::max<std::int64_t>(1, pseudo_banks.count()))) {}

void NvdimmEndpoint::posted(const Transaction& transaction) {
  remove(transaction);
  page_accessed(transaction);
}

Transaction& NvdimmEndpoint::next_posted() { return first_of(posted_, &PseudoBank::posted); }

void NvdimmEndpoint::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  if (ready_from_ > edge + turnaround) {
    return;
  }
  Transaction* legal = nullptr;
  Transaction* near = nullptr;
  ready_from_ = scan([&](Transaction& transaction, Cycle from) {
    if (from <= edge + turnaround) {
      consider(from <= edge ? legal : near, transaction, true);
    }
  });
  if (legal != nullptr) {
    legal_ = best_of(*legal);
    candidates.legal[1] = &legal_;
  }
  if (near != nullptr) {
    near_ = best_of(*near);
    candidates.near[1] = &near_;
  }
}

void NvdimmEndpoint::collect_command(Candidates& candidates) {
  command_ = best_of(select_command());
  Candidates::consider_older(candidates.other, command_);
}

void NvdimmEndpoint::change_page(const Transaction& transaction) {
  PseudoBank& bank = bank_of(transaction);
  bank.last_page = transaction.row;
  bank.queued.row_changed();
  bank.posted.row_changed();
  bank.ready.row_changed();
  forget();
}

void NvdimmEndpoint::rebuild() {
  for (PseudoBank& bank : banks_) {
    bank.queued.rebuild();
    bank.posted.rebuild();
    bank.ready.rebuild();
  }
  forget();
}

void NvdimmEndpoint::serialize(Archive& archive) {
  archive(acks_);
  acks_.each([&](std::uint32_t slot) {
    archive.check_index(slot, pool_.size(), "ack without a command");
  });
  for (PseudoBank& bank : banks_) {
    archive(bank.last_page);
    if (archive.loading()) {
      bank.queued.clear();
      bank.posted.clear();
      bank.ready.clear();
    }
  }
  if (archive.loading()) {
    queued_ = 0;
    posted_ = 0;
    ready_ = 0;
    outstanding_ = 0;
    ready_from_ = kNeverCycle;
  }
}

}  // namespace hmsim
