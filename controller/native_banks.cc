// SPDX-License-Identifier: BSD-3-Clause
#include "controller/native_banks.h"

#include "core/errors.h"

namespace hmsim {

namespace {

// `count` bits from bit `first` on.
std::uint64_t bits(std::size_t first, std::size_t count) {
  return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

NativeBanks::NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool)
    : DramBanks(dram, pool),
      engine_(engine),
      group_shift_(rank_shift_ - __builtin_ctz(static_cast<unsigned>(dram.organisation.groups))),
      data_sets_(
          bits(static_cast<std::size_t>(Command::read) * engine.groups(), 2 * engine.groups())) {
  ensure(banks_.size() <= kMostBanks && TimingEngine::kBankCommands * engine.groups() <= kMostSets,
         "native banks", Tick(0), -1, "the channel has too many banks");
}

void NativeBanks::update(std::int32_t bank, Cycle now) {
  Slot& updated = slot(bank);
  displace(bank, updated);
  if (!competes(bank)) {
    updated.place = Place::nowhere;
    return;
  }
  updated.candidate = best_of(bank);
  place(bank, updated, now);
}

void NativeBanks::advance(Cycle edge) {
  take_ready(edge);
  find_next();
}

void NativeBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  take_ready(edge);
  const Cycle horizon = edge + turnaround;
  if (next_data_ <= horizon.value()) {
    next_data_ = scan<Kind::data>(horizon, [&](const Best& candidate, std::int64_t gate) {
      Candidates::consider((gate <= edge.value() ? candidates.legal : candidates.near)[0],
                           candidate);
    });
  }
  find_next();
}

void NativeBanks::collect_others(Cycle edge, Candidates& candidates) {
  if (next_other_ <= edge.value()) {
    next_other_ = scan<Kind::row>(edge, [&](const Best& candidate, std::int64_t) {
      Candidates::consider_older(candidates.other, candidate);
    });
    find_next();
  }
}

void NativeBanks::look_ahead() {
  next_data_ = first_gate<Kind::data>();
  next_other_ = first_gate<Kind::row>();
  find_next();
}

void NativeBanks::forget() {
  waiting_.clear();
  ready_ = {};
  ready_sets_ = 0;
  for (Slot& slot : slots_) {
    slot.place = Place::nowhere;
  }
}

}  // namespace hmsim
