// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/native_banks.h"

#include "core/errors.h"

namespace hmsim {

NativeBanks::NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool)
    : DramBanks(dram, pool), engine_(engine) {
  ensure(banks_.size() <= kMostBanks, "native banks", Tick(0), -1, "too many banks in a channel");
}

void NativeBanks::wait_on(std::uint64_t banks, Cycle edge) {
  for (; banks != 0; banks &= banks - 1) {
    Bank& bank = first_of(banks);
    beyond_wheel_ &= ~bank.bit;
    wait(bank, engine_.bank_ready(bank.candidate.command, bank.place), edge);
  }
}

// Returns those of `banks` that no engine gate delays. The rules between bursts already allow them.
std::uint64_t NativeBanks::open_by_gates(std::uint64_t banks, Cycle edge) const {
  std::uint64_t open = banks;
  for (; banks != 0; banks &= banks - 1) {
    const Bank& bank = first_of(banks);
    if (gate(bank) > edge) {
      open &= ~bank.bit;
    }
  }
  return open;
}

// Returns first_data() for the banks in `ready`. `bound`: those in `ready` that gates may delay.
std::int64_t NativeBanks::first_by_gates(std::uint64_t ready, std::uint64_t bound) const {
  std::int64_t first = kNeverCycle.value();
  if (const std::uint64_t free = ready ^ bound) {
    first = engine_.first_opening(free & ~writes_, free & writes_).value();
  }
  for (; bound != 0; bound &= bound - 1) {
    first = earlier(first, gate(first_of(bound)).value());
  }
  return first;
}

const Best* NativeBanks::best(std::uint64_t banks) const {
  const Best* best = nullptr;
  for (; banks != 0; banks &= banks - 1) {
    Candidates::consider(best, first_of(banks).candidate);
  }
  return best;
}

void NativeBanks::advance(Cycle edge) {
  if (waiting_.next() <= edge.value()) {
    take_ready(edge);
  }
  find_next();
}

void NativeBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  if (waiting_.next() <= edge.value()) {
    take_ready(edge);
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
  competing_ = ready_ = beyond_wheel_ = data_ = writes_ = 0;
}

}  // namespace hmsim
