// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/polled_banks.h"

namespace hmsim {

PolledBanks::PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool,
                         const CommandSlots* slots)
    : DramBanks(dram, pool),
      timing_(timing),
      slots_(slots),
      longest_lead_(slots == nullptr ? 0 : slots->longest_lead().value()),
      candidates_((banks_.size() + 63) / 64) {}

void PolledBanks::column(Transaction& transaction, std::size_t side, Command command, Cycle now,
                         Cycle start) {
  timing_.issue(command, transaction.bank, start);
  remove(transaction, side, now);
  look_ahead();
}

void PolledBanks::activate(const Transaction& transaction, Cycle now) {
  const std::int32_t bank = transaction.bank;
  timing_.issue(Command::activate, bank, now);
  rank_of(at(bank)).open |= at(bank).bit_in_rank;
  row_changed(bank, transaction.row, now);
  look_ahead();
}

void PolledBanks::precharge(std::int32_t bank, Cycle now) {
  timing_.issue(Command::precharge, bank, now);
  rank_of(at(bank)).open &= ~at(bank).bit_in_rank;
  row_changed(bank, kNoRow, now);
  look_ahead();
}

void PolledBanks::update(std::int32_t index, Cycle /*now*/) {
  Bank& bank = at(index);
  std::uint64_t& word = candidates_[static_cast<std::size_t>(index) / 64];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if (!competes(bank)) {
    word &= ~bit;
    return;
  }
  word |= bit;
  bank.candidate = best_of(bank);
  bank.ready_at = timing_.bank_ready(bank.candidate.command, index);
  ask(index);
  next_ = earlier(next_, lead_from(bank));
}

void PolledBanks::ask(std::int32_t index) {
  Bank& bank = at(index);
  bank.asked_at = timing_.earliest(bank.candidate.command, index).value();
}

// Returns the candidate of a competing bank whose next command is legal by `horizon`, or nullptr.
const Best* PolledBanks::legal_by(std::int32_t index, std::int64_t now, std::int64_t horizon) {
  const Bank& bank = at(index);
  if (lead_from(bank) > horizon) {
    return nullptr;
  }
  if (slots_ != nullptr) {
    const Command command = bank.candidate.command;
    const std::int64_t lead = slots_->lead(command, bank.place.rank, Cycle(now)).value();
    now += lead;
    horizon += lead;
    if (!slots_->free(command, bank.place.rank, Cycle(now - lead))) {
      return nullptr;
    }
  }
  if (bank.ready_at > now || bank.asked_at > horizon || !may_go(bank)) {
    return nullptr;
  }
  ask(index);
  return bank.asked_at > horizon ? nullptr : &bank.candidate;
}

const Best* PolledBanks::select_burst(Cycle edge, bool /*by_key*/) {
  Candidates candidates;
  collect(edge, Cycle(0), candidates);
  return candidates.legal[0];
}

const Best* PolledBanks::select_row(Cycle edge) {
  Candidates candidates;
  collect_others(edge, candidates);
  return candidates.other;
}

void PolledBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for_each_candidate([&](std::int32_t bank) {
    if (reserves_data_bus(at(bank).candidate.command)) {
      if (const Best* const best = legal_by(bank, now, now + turnaround.value())) {
        Candidates::consider(
            (at(bank).asked_at <= now + longest_lead_ ? candidates.legal : candidates.near)[0],
            *best);
      }
    }
  });
}

void PolledBanks::collect_others(Cycle edge, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for_each_candidate([&](std::int32_t bank) {
    if (!reserves_data_bus(at(bank).candidate.command)) {
      if (const Best* const best = legal_by(bank, now, now)) {
        Candidates::consider_older(candidates.other, *best);
      }
    }
  });
  look_ahead();
}

// Asks the bank of the earliest answer until the answer stays: those of all others are later.
void PolledBanks::look_ahead() {
  next_ = kNeverCycle.value();
  for (std::int64_t least = -1; least != next_;) {
    least = kNeverCycle.value();
    std::int32_t first = 0;
    for_each_candidate([&](std::int32_t bank) {
      if (at(bank).asked_at < least) {
        least = at(bank).asked_at;
        first = bank;
      }
    });
    if (least != kNeverCycle.value()) {
      ask(first);
      next_ = at(first).asked_at;
    }
  }
  next_ -= next_ == kNeverCycle.value() ? 0 : longest_lead_;
}

}  // namespace hmsim
