// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks on the native timing engine.
//
// Sets of banks are kept as bit masks, by the next command of each bank's candidate. A bank waits
// until the rules of its own scope allow that command, and is ready from then on. Rules of wider
// scopes then apply to it: rules between bursts as masks of banks, all others as the engine's
// gates. The cost of an edge thus depends on the number of ready banks. PRE and ACT of a bank keep
// its candidate and change only the candidate's next command.
//
// If commands take several slots of the wires, the free slots are checked last, for each rank and
// kind of command.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/channel/waiting_banks.h"
#include "dram/command_slots.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"

namespace hmsim {

class LoneBanks;

// Functions called on every edge are in this header so that the channel can inline them.
class NativeBanks final : public DramBanks {
 public:
  // At most kMostBanks banks in total. `slots`: command slots on the channel's wires; nullptr if
  // every command of the standard takes one slot.
  NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool,
              const CommandSlots* slots = nullptr);
  static constexpr std::size_t kMostBanks = TimingEngine::kMostMaskedBanks;

  // Like DramBanks::insert(), but inlined.
  void insert_inlined(Transaction& transaction, std::size_t side, Cycle now);
  void column(Transaction& transaction, std::size_t side, Command command, Cycle now,
              Cycle start) override;
  void activate(const Transaction& transaction, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  void refresh(Command command, std::int32_t bank, Cycle now) override {
    engine_.to_rank(command, at(bank).place, now);
  }
  Cycle activate_ready(std::int32_t bank) const override {
    return Cycle(engine_.bank_ready(Command::activate, bank));
  }
  const Best* select_burst(Cycle edge, bool by_key) override;
  const Best* select_row(Cycle edge) override;
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle edge) override;
  void look_ahead() override;

 private:
  friend class LoneBanks;

  std::uint64_t ready_data() const { return ready_ & data_; }
  std::uint64_t ready_rows() const { return ready_ & ~data_; }
  static std::size_t index_of_first(std::uint64_t banks) {
    return static_cast<std::size_t>(__builtin_ctzll(banks));
  }
  const Bank& first_of(std::uint64_t banks) const { return banks_[index_of_first(banks)]; }

  void update(std::int32_t bank, Cycle now) override { update(at(bank), now); }
  void update(Bank& bank, Cycle now);
  void forget() override;
  Bank& open(const Transaction& transaction, Cycle now);
  void shut(Bank& bank, Cycle now);
  void place(Bank& bank, Cycle now);
  void wait_or_stay(Bank& bank, Cycle now);
  void displace(const Bank& bank, Cycle now);
  void wait(Bank& bank, std::int64_t ready, Cycle now);
  void wait_on(std::uint64_t banks, Cycle edge);
  void take_ready(Cycle edge);
  // Returns the first cycle that rules of wider scopes than the bank allow for the next command of
  // the bank's candidate.
  Cycle gate(const Bank& bank) const {
    return engine_.gate(engine_.gate_number(bank.candidate.command, bank.place.group));
  }
  Cycle earliest(Command command, const Bank& bank) const {
    const std::size_t number = engine_.gate_number(command, bank.place.group);
    return later(Cycle(engine_.bank_ready(command, bank.place)),
                 reserves_data_bus(command) ? engine_.gate(number) : engine_.row_gate(number));
  }

  std::uint64_t open_of(std::uint64_t banks, Cycle edge) const;
  std::uint64_t open_by_gates(std::uint64_t banks, Cycle edge) const;
  std::int64_t first_by_gates(std::uint64_t ready, std::uint64_t bound) const;
  std::uint64_t may_start(std::uint64_t banks) const;
  const Best* best(std::uint64_t banks) const;
  const Best* oldest(std::uint64_t banks) const;
  const Best* oldest_row(std::uint64_t banks, Cycle edge) const;
  std::int64_t first_data() const;
  std::int64_t first_row() const;
  void find_candidate(Bank& bank) {
    bank.candidate = best_of(bank);
    requests_[bank.place.bank] = bank.candidate.request;
  }
  void set_gate(const Bank& bank) {
    gates_[bank.place.bank] =
        static_cast<std::uint32_t>(engine_.gate_number(bank.candidate.command, bank.place.group));
  }
  void find_next() { next_ = earlier(earlier(next_data_, next_row_), waiting_.next()); }

  std::uint64_t open_on_slots(Cycle edge) const;

  TimingEngine& engine_;
  const CommandSlots* const slots_;  // or nullptr
  // By bank: request id of the candidate; gate of its next command, for row commands.
  std::array<std::uint64_t, kMostBanks> requests_{};
  std::array<std::uint32_t, kMostBanks> gates_{};
  // Sets of banks, one bit each. All are subsets of `competing_`; `writes_` is a subset of `data_`;
  // `ready_` and `beyond_wheel_` are disjoint.
  std::uint64_t competing_ = 0;     // has a candidate
  std::uint64_t ready_ = 0;         // the bank's own rules allow the candidate's next command
  std::uint64_t beyond_wheel_ = 0;  // waits for its own rules beyond the end of the timing wheel
  std::uint64_t data_ = 0;          // the candidate's next command is a read or a write
  std::uint64_t writes_ = 0;        // the candidate's next command is a write
  // Lower bounds on the first edge on which a ready bank has a legal data-bus command (next_data_),
  // or a legal activate or precharge (next_row_).
  std::int64_t next_data_ = kNeverCycle.value();
  std::int64_t next_row_ = kNeverCycle.value();
  WaitingBanks waiting_;
};

// View of the banks while nothing competes for any of them. Used for a single request, which is not
// in its bank's queue, and for refreshes of an idle channel.
class LoneBanks {
 public:
  explicit LoneBanks(NativeBanks& banks) : banks_(banks) {}

  std::int64_t open_row(std::int32_t bank) const { return banks_.open_row(bank); }
  Cycle earliest(Command command, const Transaction& transaction) const {
    return banks_.earliest(command, banks_.at(transaction.bank));
  }
  Cycle activate_ready(std::int32_t bank) const { return banks_.activate_ready(bank); }
  void column(Transaction& transaction, std::size_t /*side*/, Command command, Cycle now,
              Cycle /*start*/) {
    banks_.engine_.column(command, banks_.at(transaction.bank).place, now);
  }
  void activate(const Transaction& transaction, Cycle now) { banks_.open(transaction, now); }
  // Returns whether all rules allow a precharge at `edge`.
  bool may_precharge(std::int32_t bank, Cycle edge) const {
    return banks_.earliest(Command::precharge, banks_.at(bank)) <= edge;
  }
  void precharge(std::int32_t bank, Cycle now) { banks_.shut(banks_.at(bank), now); }
  void refresh(Command command, std::int32_t bank, Cycle now) {
    banks_.refresh(command, bank, now);
  }

 private:
  NativeBanks& banks_;
};

HMSIM_INLINE void NativeBanks::displace(const Bank& bank, Cycle now) {
  if ((competing_ & ~ready_ & bank.bit) != 0) {
    waiting_.erase(bank.bit, bank.asked_at, now.value());
  }
  const std::uint64_t others = ~bank.bit;
  competing_ &= others;
  ready_ &= others;
  beyond_wheel_ &= others;
  data_ &= others;
  writes_ &= others;
}

// Adds a displaced bank again with its new candidate.
HMSIM_INLINE void NativeBanks::place(Bank& bank, Cycle now) {
  const Command command = bank.candidate.command;
  set_gate(bank);
  competing_ |= bank.bit;
  data_ |= reserves_data_bus(command) ? bank.bit : 0;
  writes_ |= command == Command::write ? bank.bit : 0;
  ready_ |= bank.bit;
  wait_or_stay(bank, now);
}

HMSIM_INLINE void NativeBanks::update(Bank& bank, Cycle now) {
  if ((competing_ & bank.bit) != 0) {
    displace(bank, now);
  }
  if (competes(bank)) {
    find_candidate(bank);
    place(bank, now);
    find_next();
  }
}

HMSIM_INLINE void NativeBanks::insert_inlined(Transaction& transaction, std::size_t side,
                                              Cycle now) {
  if (queue(transaction, side)) {
    update(at(transaction.bank), now);
  }
}

// Call when the candidate of a ready bank has another next command. The bank waits for its own
// rules again, or stays ready if they allow the command now.
HMSIM_INLINE void NativeBanks::wait_or_stay(Bank& bank, Cycle now) {
  const std::int64_t ready = engine_.bank_ready(bank.candidate.command, bank.place);
  if (ready > now.value()) {
    ready_ ^= bank.bit;
    wait(bank, ready, now);
  } else if (reserves_data_bus(bank.candidate.command)) {
    next_data_ = earlier(next_data_, gate(bank).value());
  } else {
    next_row_ = earlier(next_row_, engine_.row_gate(gates_[bank.place.bank]).value());
  }
}

HMSIM_INLINE void NativeBanks::wait(Bank& bank, std::int64_t ready, Cycle now) {
  if (ready > now.value() + WaitingBanks::kLongest) {
    beyond_wheel_ |= bank.bit;
    ready = now.value() + WaitingBanks::kLongest;
  }
  bank.asked_at = ready;
  waiting_.insert(bank.bit, ready);
}

// Marks banks as ready whose own rules allow their command from this edge on. Only lowers the lower
// bounds: rules of wider scopes are checked when a bound is reached.
HMSIM_INLINE void NativeBanks::take_ready(Cycle edge) {
  std::uint64_t taken = waiting_.take();
  if (const std::uint64_t far = taken & beyond_wheel_) {
    taken ^= far;
    wait_on(far, edge);
  }
  ready_ |= taken;
  if ((taken & data_) != 0) {
    next_data_ = earlier(next_data_, engine_.next_burst());
  }
  if ((taken & ~data_) != 0) {
    next_row_ = edge.value();
  }
}

// Returns those of `ready` whose candidate's burst is legal.
HMSIM_INLINE std::uint64_t NativeBanks::open_of(std::uint64_t ready, Cycle edge) const {
  const TimingEngine::Opening& opening = engine_.opening(edge);
  const std::uint64_t banks = ready & ((~writes_ & opening.reads) | (writes_ & opening.writes));
  const std::uint64_t bound = banks & engine_.bound_by_gates(edge);
  return bound == 0 ? banks : (banks ^ bound) | open_by_gates(bound, edge);
}

// Returns the first edge on which a ready bank may have its burst.
HMSIM_INLINE std::int64_t NativeBanks::first_data() const {
  const std::uint64_t ready = ready_data();
  if (ready == 0) {
    return kNeverCycle.value();
  }
  const Cycle first = engine_.first_opening(ready & ~writes_, ready & writes_);
  const std::uint64_t bound = ready & engine_.bound_by_gates(first);
  return bound == 0 ? first.value() : first_by_gates(ready, bound);
}

HMSIM_INLINE std::int64_t NativeBanks::first_row() const {
  std::int64_t first = kNeverCycle.value();
  for (std::uint64_t banks = ready_rows(); banks != 0; banks &= banks - 1) {
    first = earlier(first, engine_.row_gate(gates_[index_of_first(banks)]).value());
  }
  return first;
}

// Returns the banks that may issue: a rank with a full command queue starts no transaction.
inline std::uint64_t NativeBanks::may_start(std::uint64_t banks) const {
  std::uint64_t may = banks;
  for (; banks != 0; banks &= banks - 1) {
    const Bank& bank = first_of(banks);
    may &= may_go(bank) ? may : ~bank.bit;
  }
  return may;
}

// Returns the oldest candidate of the given banks. Precondition: `banks` is not 0.
HMSIM_INLINE const Best* NativeBanks::oldest(std::uint64_t banks) const {
  std::size_t oldest = index_of_first(banks);
  while ((banks &= banks - 1) != 0) {
    const std::size_t other = index_of_first(banks);
    if (requests_[other] < requests_[oldest]) {
      oldest = other;
    }
  }
  return &banks_[oldest].candidate;
}

// Optimised for one ready, legal bank, the most common case.
HMSIM_INLINE const Best* NativeBanks::oldest_row(std::uint64_t banks, Cycle edge) const {
  const auto legal = [&](std::size_t bank) { return engine_.row_gate(gates_[bank]) <= edge; };
  for (; banks != 0; banks &= banks - 1) {
    std::size_t oldest = index_of_first(banks);
    if (legal(oldest)) {
      while ((banks &= banks - 1) != 0) {
        const std::size_t other = index_of_first(banks);
        if (legal(other) && requests_[other] < requests_[oldest]) {
          oldest = other;
        }
      }
      return &banks_[oldest].candidate;
    }
  }
  return nullptr;
}

HMSIM_INLINE const Best* NativeBanks::select_burst(Cycle edge, bool by_key) {
  if (waiting_.next() <= edge.value()) {
    take_ready(edge);
  }
  if (next_data_ <= edge.value()) {
    const std::uint64_t open = open_of(ready_data(), edge);
    if (const std::uint64_t legal = held_ == 0 ? open : may_start(open)) {
      return by_key ? best(legal) : oldest(legal);
    }
    next_data_ = first_data();
  }
  return nullptr;
}

HMSIM_INLINE const Best* NativeBanks::select_row(Cycle edge) {
  if (next_row_ <= edge.value()) {
    const std::uint64_t rows = held_ == 0 ? ready_rows() : may_start(ready_rows());
    if (const Best* const oldest = oldest_row(rows, edge)) {
      return oldest;
    }
    next_row_ = first_row();
  }
  find_next();
  return nullptr;
}

// A command moves only the gates of its own kind, so only those banks are checked again. The other
// bound stays a lower bound even if gates of another kind moved as well.
HMSIM_INLINE void NativeBanks::column(Transaction& transaction, std::size_t side, Command command,
                                      Cycle now, Cycle start) {
  Bank& bank = at(transaction.bank);
  if (start != now && (ready_ & bank.bit) == 0) {  // it becomes ready while the data clock starts
    waiting_.erase(bank.bit, bank.asked_at, now.value());
    beyond_wheel_ &= ~bank.bit;
    ready_ |= bank.bit;
  }
  engine_.column(command, bank.place, start);
  leave(bank, transaction, side);
  if (bank.queued[side].empty()) {
    competing_ ^= bank.bit;
    ready_ ^= bank.bit;
    data_ ^= bank.bit;
    writes_ &= ~bank.bit;
  } else {
    find_candidate(bank);
    const Command next = bank.candidate.command;
    if (next == Command::precharge) {
      data_ ^= bank.bit;
      writes_ &= ~bank.bit;
      set_gate(bank);
      wait_or_stay(bank, now);
    } else if (next != command || engine_.bank_ready(next, bank.place) > now.value()) {
      writes_ ^= next != command ? bank.bit : 0;
      wait_or_stay(bank, now);
    }
  }
  next_data_ = first_data();
  find_next();
}

HMSIM_INLINE DramBanks::Bank& NativeBanks::open(const Transaction& transaction, Cycle now) {
  Bank& bank = at(transaction.bank);
  engine_.activate(bank.place, now);
  rank_of(bank).open |= bank.bit_in_rank;
  bank.open_row = transaction.row;
  return bank;
}

// An activate for the candidate keeps it the best. It was the best among all misses, and with its
// row open it has only gained.
HMSIM_INLINE void NativeBanks::activate(const Transaction& transaction, Cycle now) {
  Bank& bank = open(transaction, now);
  data_ |= bank.bit;
  if (transaction.request.write) {
    bank.candidate.command = Command::write;
    writes_ |= bank.bit;
  } else {
    bank.candidate.command = Command::read;
  }
  ready_ ^= bank.bit;
  wait(bank, engine_.bank_ready(bank.candidate.command, bank.place), now);
  next_row_ = first_row();
  find_next();
}

HMSIM_INLINE void NativeBanks::shut(Bank& bank, Cycle now) {
  engine_.precharge(bank.place, now);
  rank_of(bank).open &= ~bank.bit_in_rank;
  bank.open_row = kNoRow;
}

HMSIM_INLINE void NativeBanks::precharge(std::int32_t index, Cycle now) {
  Bank& bank = at(index);
  shut(bank, now);
  if ((ready_ & bank.bit) != 0 && bank.candidate.command == Command::precharge) {
    bank.candidate.command = Command::activate;
    set_gate(bank);
    ready_ ^= bank.bit;
    wait(bank, engine_.bank_ready(Command::activate, bank.place), now);
    next_row_ = ready_rows() == 0 ? kNeverCycle.value() : now.value() + 1;
    find_next();
  } else if ((competing_ & bank.bit) == 0) {
    close(bank);
  } else {
    row_changed(index, kNoRow, now);
  }
}

}  // namespace hmsim
