// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/nvdimm_endpoint.h"

#include <algorithm>

#include "core/places.h"

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
  Places answered(archive, pool_.size(), "acks");
  archive(acks_);
  acks_.each([&](std::uint32_t slot) {
    answered.take(slot);
    answered.check(awaits_ack(pool_[slot]));
  });
  for (PseudoBank& bank : banks_) {
    archive(bank.last_page);
    archive.check(bank.last_page >= kNoRow, "a page is none");
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

void NvdimmEndpoint::check_module(const Archive& archive, const NvdimmModule& module) const {
  using State = NvdimmModule::CommandState;
  constexpr const char* kWrong = "the NVDIMM has other commands than it was sent";
  Places acks(archive, pool_.size(), kWrong);
  acks_.each([&](std::uint32_t slot) { acks.take(slot); });
  std::vector<bool> sent(pool_.size());
  pool_.each_taken([&](const Transaction& each) {
    const NvdimmModule::CommandView seen = module.command_view(each.slot);
    const bool credited = posts_writes_ && each.request.write;
    if (each.request.memory == MemoryClass::dram || credited) {
      return;
    }
    const TransactionState state = each.state;
    const bool flush = each.request.flush && seen.state != State::none;
    const bool waits = state == TransactionState::waiting || flush;
    sent[each.slot] =
        waits || state == TransactionState::ready || state == TransactionState::transfer;
    const bool ready = sent[each.slot] && (!waits || acks.has(each.slot));
    archive.check(!sent[each.slot] ||
                      (seen.state == (ready ? State::ready : State::unfinished) &&
                       (flush || (seen.write == each.request.write && seen.address == each.local))),
                  kWrong);
  });
  for (std::uint32_t slot = 0; slot < pool_.size(); ++slot) {
    archive.check(sent[slot] || (!acks.has(slot) && module.command_view(slot).state == State::none),
                  kWrong);
  }
}

}  // namespace hmsim
