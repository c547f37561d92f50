// SPDX-License-Identifier: BSD-3-Clause
#include "controller/native_banks.h"

#include "core/errors.h"

namespace hmsim {

NativeBanks::NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool)
    : DramBanks(dram, pool), engine_(engine) {
  ensure(banks_.size() <= slots_.size(), "native banks", Tick(0), -1,
         "the channel has too many banks");
  const auto banks_per_group =
      static_cast<std::uint32_t>(dram.organisation.banks / dram.organisation.groups);
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
    slots_[bank].bit = std::uint64_t{1} << bank;
    slots_[bank].group = bank / banks_per_group;
  }
}

void NativeBanks::update(std::int32_t bank, Cycle now) {
  Slot& updated = slot(bank);
  displace(updated, now);
  if (competes(bank)) {
    updated.candidate = best_of(bank);
    place(bank, updated, now);
  }
}

void NativeBanks::wait_on(std::uint64_t banks, Cycle edge) {
  for (; banks != 0; banks &= banks - 1) {
    Slot& patient = slot(static_cast<std::int32_t>(__builtin_ctzll(banks)));
    patient_ &= ~patient.bit;
    wait(patient, edge);
  }
}

// Those of `banks` that no gate of the engine's keeps from their bursts.
std::uint64_t NativeBanks::open_by_gates(std::uint64_t banks, Cycle edge) const {
  std::uint64_t open = banks;
  for (; banks != 0; banks &= banks - 1) {
    if (engine_.gate(first_of(banks).gate) > edge) {
      open &= ~first_of(banks).bit;
    }
  }
  return open;
}

void NativeBanks::advance(Cycle edge) {
  if (waiting_.next() <= edge.value()) {
    take_ripe(edge);
  }
  find_next();
}

void NativeBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  if (waiting_.next() <= edge.value()) {
    take_ripe(edge);
  }
  if (next_data_ <= (edge + turnaround).value()) {
    const std::uint64_t legal = may_start(open_data(edge));
    candidates.legal[0] = best(legal);
    candidates.near[0] = best(may_start(open_data(edge + turnaround)) & ~legal);
    next_data_ = first_data();
  }
  find_next();
}

void NativeBanks::collect_others(Cycle edge, Candidates& candidates) {
  if (next_row_ <= edge.value()) {
    if (const Best* const oldest = oldest_row(edge)) {
      Candidates::consider_older(candidates.other, *oldest);
    }
    next_row_ = first_row();
    find_next();
  }
}

void NativeBanks::look_ahead() {
  next_data_ = first_data();
  next_row_ = first_row();
  find_next();
}

void NativeBanks::forget() {
  waiting_.clear();
  wanted_ = {};
  ripe_ = 0;
  patient_ = 0;
}

}  // namespace hmsim
