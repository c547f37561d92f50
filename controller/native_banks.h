// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over the native timing engine.
//
// Banks are sorted, a bit each, by the next command of their candidate. A bank waits until the
// rules of its own scope allow that command; from then on it is ripe, and the rules of wider scopes
// open and close for it: those between bursts as masks of banks, all others as the engine's gates.
// So the cost of an edge follows the ripe banks. A bank's own PRE and ACT leave it its candidate,
// of which only the next command changes.
#pragma once

#include <array>
#include <cstdint>

#include "controller/dram_banks.h"
#include "controller/waiting_banks.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"

namespace hmsim {

// What is called in every edge stands here, for the channel to take in.
class NativeBanks final : public DramBanks {
 public:
  // At most 64 banks in all.
  NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool);

  void column(TransactionId id, std::size_t side, Command command, Cycle now) override;
  void activate(std::int32_t bank, std::int64_t row, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  const Best* select(Cycle edge) override;
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle edge) override;
  void look_ahead() override;

 private:
  struct alignas(64) Slot {  // of a bank
    Best candidate;
    std::int64_t ready_at = 0;  // by the bank's own rules
    std::int64_t called = 0;    // waiting: until then
    std::uint64_t bit = 0;
    std::uint32_t gate = 0;  // the engine's, of the candidate's next command
    std::uint32_t group = 0;
  };

  Slot& slot(std::int32_t bank) { return slots_[static_cast<std::size_t>(bank)]; }
  const Slot& first_of(std::uint64_t banks) const {
    return slots_[static_cast<std::size_t>(__builtin_ctzll(banks))];
  }
  std::uint64_t& wanted(Command command) { return wanted_[static_cast<std::size_t>(command)]; }
  std::uint64_t wanted(Command command) const { return wanted_[static_cast<std::size_t>(command)]; }
  std::uint64_t ripe_data() const {
    return ripe_ & (wanted(Command::read) | wanted(Command::write));
  }
  std::uint64_t ripe_rows() const {
    return ripe_ & (wanted(Command::activate) | wanted(Command::precharge));
  }

  void update(std::int32_t bank, Cycle now) override;
  void forget() override;
  void place(std::int32_t bank, Slot& slot, Cycle now);
  void wait(Slot& slot, Cycle now);
  void ripen(const Slot& slot);
  void displace(const Slot& slot, Cycle now);
  void row_taken(std::int32_t bank, Slot& slot, std::int64_t row, Command next, Cycle now);
  void take_ripe(Cycle edge);
  void wait_on(std::uint64_t banks, Cycle edge);

  std::uint64_t open_data(Cycle edge) const;
  std::uint64_t open_by_gates(std::uint64_t banks, Cycle edge) const;
  std::uint64_t may_start(std::uint64_t banks) const;
  const Best* best(std::uint64_t banks) const;
  const Best* oldest_row(Cycle edge) const;
  std::int64_t first_data() const;
  std::int64_t first_row() const;
  void find_next() { next_ = earlier(earlier(next_data_, next_row_), waiting_.next()); }

  TimingEngine& engine_;
  // By the candidate's next command: of all banks that have one.
  std::array<std::uint64_t, TimingEngine::kBankCommands> wanted_{};
  std::uint64_t ripe_ = 0;     // those that need not wait for their own rules; the others ...
  std::uint64_t patient_ = 0;  // ... wait; these for longer than the wheel is
  // Lower bounds on when the first ripe bank may have its command: data-bus commands, the others.
  std::int64_t next_data_ = kNeverCycle.value();
  std::int64_t next_row_ = kNeverCycle.value();
  WaitingBanks waiting_;
  std::array<Slot, TimingEngine::kMostMaskedBanks> slots_;
};

HMSIM_INLINE void NativeBanks::displace(const Slot& slot, Cycle now) {
  std::uint64_t& wanting = wanted(slot.candidate.command);
  if ((ripe_ & slot.bit) != 0) {
    ripe_ ^= slot.bit;
  } else if ((wanting & slot.bit) != 0) {
    waiting_.erase(slot.bit, slot.called, now.value());
    patient_ &= ~slot.bit;
  }
  wanting &= ~slot.bit;
}

// Of a bank that was displaced.
HMSIM_INLINE void NativeBanks::place(std::int32_t bank, Slot& slot, Cycle now) {
  const Command command = slot.candidate.command;
  slot.gate = static_cast<std::uint32_t>(engine_.gate_number(command, slot.group));
  slot.ready_at = engine_.bank_ready(command, bank);
  wanted(command) |= slot.bit;
  if (slot.ready_at > now.value()) {
    wait(slot, now);
  } else {
    ripen(slot);
  }
}

HMSIM_INLINE void NativeBanks::wait(Slot& slot, Cycle now) {
  slot.called = waiting_.insert(slot.bit, slot.ready_at, now.value());
  if (slot.called < slot.ready_at) {
    patient_ |= slot.bit;
  }
  next_ = earlier(next_, slot.called);
}

HMSIM_INLINE void NativeBanks::ripen(const Slot& slot) {
  ripe_ |= slot.bit;
  if (reserves_data_bus(slot.candidate.command)) {
    next_data_ = earlier(next_data_, engine_.gate(slot.gate).value());
    next_ = earlier(next_, next_data_);
  } else {
    next_row_ = earlier(next_row_, engine_.row_gate(slot.gate).value());
    next_ = earlier(next_, next_row_);
  }
}

// By a command for the candidate, which stays the best: with its row closed it is one of many
// misses, but was the best of them before; with its row open it has only gained.
HMSIM_INLINE void NativeBanks::row_taken(std::int32_t index, Slot& taken, std::int64_t row,
                                         Command next, Cycle now) {
  Bank& bank = at(index);
  bank.open_row = row;
  bank.queued[1 - side_].row_changed();
  wanted(taken.candidate.command) ^= taken.bit;
  ripe_ ^= taken.bit;
  taken.candidate.command = next;
  place(index, taken, now);
}

// Those whose cycle has come need wait no longer. When their commands are legal is looked at once
// these may be.
HMSIM_INLINE void NativeBanks::take_ripe(Cycle edge) {
  std::uint64_t taken = 0;
  do {
    taken |= waiting_.take();
  } while (waiting_.next() <= edge.value());
  if (const std::uint64_t patient = taken & patient_) {
    taken ^= patient;
    wait_on(patient, edge);
  }
  ripe_ |= taken;
  if ((taken & (wanted(Command::read) | wanted(Command::write))) != 0) {
    next_data_ = earlier(next_data_, engine_.next_burst());
  }
  if ((taken & (wanted(Command::activate) | wanted(Command::precharge))) != 0) {
    next_row_ = edge.value();
  }
}

// Ripe banks whose candidate's burst no rule forbids.
HMSIM_INLINE std::uint64_t NativeBanks::open_data(Cycle edge) const {
  const TimingEngine::Opening& opening = engine_.opening(edge);
  const std::uint64_t banks =
      ripe_ & ((wanted(Command::read) & opening.reads) | (wanted(Command::write) & opening.writes));
  return engine_.bursts_bound_by_gates(edge) ? open_by_gates(banks, edge) : banks;
}

// When the first of the ripe banks may have its burst.
HMSIM_INLINE std::int64_t NativeBanks::first_data() const {
  const std::uint64_t reads = ripe_ & wanted(Command::read);
  const std::uint64_t writes = ripe_ & wanted(Command::write);
  if ((reads | writes) == 0) {
    return kNeverCycle.value();
  }
  const Cycle first = engine_.first_opening(reads, writes);
  if (!engine_.bursts_bound_by_gates(first)) {
    return first.value();
  }
  std::int64_t opens = kNeverCycle.value();
  for (std::uint64_t banks = reads | writes; banks != 0; banks &= banks - 1) {
    opens = earlier(opens, engine_.gate(first_of(banks).gate).value());
  }
  return opens;
}

HMSIM_INLINE std::int64_t NativeBanks::first_row() const {
  std::int64_t first = kNeverCycle.value();
  for (std::uint64_t banks = ripe_rows(); banks != 0; banks &= banks - 1) {
    first = earlier(first, engine_.row_gate(first_of(banks).gate).value());
  }
  return first;
}

// A rank whose command queue is full starts no transaction.
inline std::uint64_t NativeBanks::may_start(std::uint64_t banks) const {
  std::uint64_t may = banks;
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::int32_t>(__builtin_ctzll(banks));
    if (!may_go(bank, first_of(banks).candidate)) {
      may &= ~first_of(banks).bit;
    }
  }
  return may;
}

HMSIM_INLINE const Best* NativeBanks::best(std::uint64_t banks) const {
  const Best* best = nullptr;
  for (; banks != 0; banks &= banks - 1) {
    Candidates::consider(best, first_of(banks).candidate);
  }
  return best;
}

HMSIM_INLINE const Best* NativeBanks::oldest_row(Cycle edge) const {
  const Best* oldest = nullptr;
  std::uint64_t banks = held_ == 0 ? ripe_rows() : may_start(ripe_rows());
  for (; banks != 0; banks &= banks - 1) {
    const Slot& each = first_of(banks);
    if (engine_.row_gate(each.gate) <= edge) {
      Candidates::consider_older(oldest, each.candidate);
    }
  }
  return oldest;
}

HMSIM_INLINE const Best* NativeBanks::select(Cycle edge) {
  if (waiting_.next() <= edge.value()) {
    take_ripe(edge);
  }
  if (next_data_ <= edge.value()) {
    const std::uint64_t open = open_data(edge);
    if (const Best* const burst = best(held_ == 0 ? open : may_start(open))) {
      return burst;
    }
    next_data_ = first_data();
  }
  if (next_row_ <= edge.value()) {
    if (const Best* const oldest = oldest_row(edge)) {
      return oldest;
    }
    next_row_ = first_row();
  }
  find_next();
  return nullptr;
}

// A command moves the gates of its own kind; so only their banks are looked at again. (The other
// bound stays one, if another kind's gates moved too.)
HMSIM_INLINE void NativeBanks::column(TransactionId id, std::size_t side, Command command,
                                      Cycle now) {
  const std::int32_t index = pool_[id].bank;
  BankQueue& queue = at(index).queued[side];
  Slot& used = slot(index);
  engine_.issue(command, index, now);
  queue.remove(pool_, id);
  --queued_;
  if (queue.empty()) {
    displace(used, now);
  } else {
    const Best best = best_of(index);
    const bool stays = best.command == command && engine_.bank_ready(command, index) <= now.value();
    if (!stays) {
      displace(used, now);
      used.candidate = best;
      place(index, used, now);
    } else {
      used.candidate = best;
    }
  }
  next_data_ = first_data();
  find_next();
}

HMSIM_INLINE void NativeBanks::activate(std::int32_t bank, std::int64_t row, Cycle now) {
  engine_.issue(Command::activate, bank, now);
  set_open(bank, true);
  Slot& opened = slot(bank);
  if ((ripe_ & wanted(Command::activate) & opened.bit) != 0) {
    const bool write = pool_[opened.candidate.id].request.write;
    row_taken(bank, opened, row, write ? Command::write : Command::read, now);
  } else {
    row_changed(bank, row, now);
  }
  next_row_ = first_row();
  find_next();
}

HMSIM_INLINE void NativeBanks::precharge(std::int32_t bank, Cycle now) {
  engine_.issue(Command::precharge, bank, now);
  set_open(bank, false);
  Slot& closed = slot(bank);
  if ((ripe_ & wanted(Command::precharge) & closed.bit) != 0) {
    row_taken(bank, closed, kNoRow, Command::activate, now);
    next_row_ = first_row();
    find_next();
  } else if ((wanted(closed.candidate.command) & closed.bit) == 0) {  // it has no candidate
    close(bank);
  } else {
    row_changed(bank, kNoRow, now);
  }
}

}  // namespace hmsim
