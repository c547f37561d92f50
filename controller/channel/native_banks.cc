// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/native_banks.h"

#include "core/errors.h"

namespace hmsim {

NativeBanks::NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool,
                         const CommandSlots* slots)
    : DramBanks(dram, pool), engine_(engine), slots_(slots) {
  ensure(banks_.size() <= kMostBanks, "native banks", Tick(0), -1, "too many banks in a channel");
}

void NativeBanks::wait_on(std::uint64_t banks, Cycle edge) {
  for (; banks != 0; banks &= banks - 1) {
    Bank& bank = banks_[index_of_first(banks)];
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

// Returns the banks whose candidate's burst is legal and finds its slots free. The rules apply to
// the command itself, after the start of the data clock.
std::uint64_t NativeBanks::open_on_slots(Cycle edge) const {
  std::uint64_t open = 0;
  const std::uint64_t of_rank = ~std::uint64_t{0} >> (64 - banks_per_rank_);
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const std::uint64_t data = data_ & of_rank << (rank * banks_per_rank_);
    for (const Command command : {Command::read, Command::write}) {
      const std::uint64_t banks = command == Command::write ? data & writes_ : data & ~writes_;
      if (banks != 0 && slots_->free(command, rank, edge)) {
        const Cycle start = edge + slots_->lead(command, rank, edge);
        std::uint64_t ready = banks & ready_;
        for (std::uint64_t rest = start == edge ? 0 : banks ^ ready; rest != 0; rest &= rest - 1) {
          const Bank& bank = first_of(rest);
          ready |= engine_.bank_ready(command, bank.place) <= start.value() ? bank.bit : 0;
        }
        open |= open_of(ready, start);
      }
    }
  }
  return open;
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
  if (slots_ != nullptr) {
    if (slots_->first_start(Cycle(earlier(next_data_, waiting_.next()))) > edge) {
      return;
    }
    candidates.legal[0] = best(may_start(open_on_slots(edge)));
    next_data_ = first_data();
  } else if (next_data_ <= (edge + turnaround).value()) {
    const std::uint64_t legal = may_start(open_of(ready_data(), edge));
    candidates.legal[0] = best(legal);
    candidates.near[0] = best(may_start(open_of(ready_data(), edge + turnaround)) & ~legal);
    next_data_ = first_data();
  }
  find_next();
}

void NativeBanks::collect_others(Cycle edge, Candidates& candidates) {
  if (next_row_ <= edge.value()) {
    std::uint64_t rows = may_start(ready_rows());
    for (std::uint64_t banks = slots_ == nullptr ? 0 : rows; banks != 0; banks &= banks - 1) {
      const Bank& bank = first_of(banks);
      rows &= slots_->free(bank.candidate.command, bank.place.rank, edge) ? rows : ~bank.bit;
    }
    if (const Best* const oldest = oldest_row(rows, edge)) {
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
