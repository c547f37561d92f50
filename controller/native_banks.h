// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over the native timing engine.
//
// A bank with a candidate waits until the rules of its own scope allow the candidate's next
// command; from then on it is in the ready set of (command, bank group), which the
// rules of wider scopes open and close for all its banks. So the cost of an edge follows the ready
// sets, not the banks. A bank's own PRE and ACT leave it its candidate, of which only the next
// command changes.
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
  // At most 64 banks and 16 bank groups in all.
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
  static constexpr std::size_t kMostBanks = 64;
  static constexpr std::size_t kMostSets = 64;

  enum class Place : std::uint8_t { nowhere, waiting, ready };
  enum class Kind : std::uint8_t { data, row };

  struct alignas(64) Slot {  // of a bank
    Best candidate;
    std::int64_t ready_at = 0;  // by the bank's own rules
    std::int64_t called = 0;    // waiting: until then
    std::uint32_t set = 0;      // in which it is, or will be
    Place place = Place::nowhere;
    bool is(Command command) const { return place == Place::ready && candidate.command == command; }
  };

  static std::uint64_t bit(std::int32_t bank) { return std::uint64_t{1} << bank; }
  Slot& slot(std::int32_t bank) { return slots_[static_cast<std::size_t>(bank)]; }
  void update(std::int32_t bank, Cycle now) override;
  void forget() override;
  void place(std::int32_t bank, Slot& slot, Cycle now);
  void wait(std::int32_t bank, Slot& slot, Cycle now);
  void place_ready(std::int32_t bank, Slot& slot);
  void displace(std::int32_t bank, const Slot& slot);
  void row_taken(std::int32_t bank, std::int64_t row, Command next, Cycle now);
  void take_ready(Cycle edge);
  template <Kind Which>
  std::uint64_t sets_of() const {
    return ready_sets_ & (Which == Kind::data ? data_sets_ : ~data_sets_);
  }
  template <Kind Which>
  std::int64_t gate(std::size_t set) const {
    return (Which == Kind::data ? engine_.gate(set) : engine_.row_gate(set)).value();
  }
  template <Kind Which>
  std::int64_t first_gate() const;
  template <Kind Which, class Consider>
  std::int64_t scan(Cycle horizon, Consider consider) const;
  void find_next() { next_ = earlier(earlier(next_data_, next_other_), waiting_.next()); }

  TimingEngine& engine_;
  const int group_shift_;          // bank >> group_shift_ is its bank group, over all ranks
  const std::uint64_t data_sets_;  // the sets of reads and writes, a bit each
  std::uint64_t ready_sets_ = 0;   // the sets that are not empty, a bit each
  // Lower bounds on when the first ready set opens: of data-bus commands, of the others.
  std::int64_t next_data_ = kNeverCycle.value();
  std::int64_t next_other_ = kNeverCycle.value();
  WaitingBanks waiting_;
  std::array<std::uint64_t, kMostSets> ready_{};  // by the engine's gates: banks, a bit each
  std::array<Slot, kMostBanks> slots_;
};

HMSIM_INLINE void NativeBanks::displace(std::int32_t bank, const Slot& slot) {
  if (slot.place == Place::ready) {
    const std::uint64_t left = ready_[slot.set] & ~bit(bank);
    ready_[slot.set] = left;
    ready_sets_ &= ~(std::uint64_t{left == 0} << slot.set);
  } else if (slot.place == Place::waiting) {
    waiting_.erase(bit(bank), slot.called);
  }
}

// The next two: of a bank that was displaced.
HMSIM_INLINE void NativeBanks::place(std::int32_t bank, Slot& slot, Cycle now) {
  slot.set = static_cast<std::uint32_t>(
      engine_.gate_number(slot.candidate.command, static_cast<std::size_t>(bank >> group_shift_)));
  slot.ready_at = engine_.bank_ready(slot.candidate.command, bank);
  if (slot.ready_at > now.value()) {
    wait(bank, slot, now);
  } else {
    place_ready(bank, slot);
  }
}

HMSIM_INLINE void NativeBanks::wait(std::int32_t bank, Slot& slot, Cycle now) {
  slot.place = Place::waiting;
  slot.called = waiting_.insert(bit(bank), slot.ready_at, now.value());
  next_ = earlier(next_, slot.called);
}

HMSIM_INLINE void NativeBanks::place_ready(std::int32_t bank, Slot& slot) {
  slot.place = Place::ready;
  ready_[slot.set] |= bit(bank);
  ready_sets_ |= std::uint64_t{1} << slot.set;
  if (reserves_data_bus(slot.candidate.command)) {
    next_data_ = earlier(next_data_, gate<Kind::data>(slot.set));
    next_ = earlier(next_, next_data_);
  } else {
    next_other_ = earlier(next_other_, gate<Kind::row>(slot.set));
    next_ = earlier(next_, next_other_);
  }
}

// By a command for the candidate, which stays the best: with its row closed it is one of many
// misses, but was the best of them before; with its row open it has only gained.
HMSIM_INLINE void NativeBanks::row_taken(std::int32_t index, std::int64_t row, Command next,
                                         Cycle now) {
  Bank& bank = at(index);
  Slot& taken = slot(index);
  bank.open_row = row;
  bank.queued[1 - side_].row_changed();
  displace(index, taken);
  taken.candidate.command = next;
  place(index, taken, now);
}

// When the first ready set of a kind opens.
template <NativeBanks::Kind Which>
HMSIM_INLINE std::int64_t NativeBanks::first_gate() const {
  std::int64_t first = kNeverCycle.value();
  for (std::uint64_t sets = sets_of<Which>(); sets != 0; sets &= sets - 1) {
    first = earlier(first, gate<Which>(static_cast<std::size_t>(__builtin_ctzll(sets))));
  }
  return first;
}

// Calls consider(candidate, gate) for those of a kind that may be issued where the set opens by
// `horizon`. Returns when the first set opens.
template <NativeBanks::Kind Which, class Consider>
HMSIM_INLINE std::int64_t NativeBanks::scan(Cycle horizon, Consider consider) const {
  std::int64_t first = kNeverCycle.value();
  for (std::uint64_t sets = sets_of<Which>(); sets != 0; sets &= sets - 1) {
    const auto set = static_cast<std::size_t>(__builtin_ctzll(sets));
    const std::int64_t opens = gate<Which>(set);
    first = earlier(first, opens);
    if (opens > horizon.value()) {
      continue;
    }
    for (std::uint64_t banks = ready_[set]; banks != 0; banks &= banks - 1) {
      const auto bank = static_cast<std::int32_t>(__builtin_ctzll(banks));
      const Best& candidate = slots_[static_cast<std::size_t>(bank)].candidate;
      if (may_go(bank, candidate)) {
        consider(candidate, opens);
      }
    }
  }
  return first;
}

HMSIM_INLINE void NativeBanks::take_ready(Cycle edge) {
  waiting_.advance(edge.value(), [this, edge](std::int32_t bank) {
    Slot& called = slot(bank);
    if (called.ready_at <= edge.value()) {
      place_ready(bank, called);
    } else {
      wait(bank, called, edge);
    }
  });
}

HMSIM_INLINE const Best* NativeBanks::select(Cycle edge) {
  take_ready(edge);
  const Best* best = nullptr;
  if (next_data_ <= edge.value()) {
    next_data_ = scan<Kind::data>(edge, [&best](const Best& candidate, std::int64_t) {
      Candidates::consider(best, candidate);
    });
  }
  if (best == nullptr && next_other_ <= edge.value()) {
    next_other_ = scan<Kind::row>(edge, [&best](const Best& candidate, std::int64_t) {
      Candidates::consider_older(best, candidate);
    });
  }
  if (best == nullptr) {
    find_next();
  }
  return best;
}

// A command moves the gates of its own kind; so only their sets are looked at again. (The other
// bound stays one, if another kind's gates moved too.)
HMSIM_INLINE void NativeBanks::column(TransactionId id, std::size_t side, Command command,
                                      Cycle now) {
  const Transaction& transaction = pool_[id];
  const std::int32_t index = transaction.bank;
  BankQueue& queue = at(index).queued[side];
  Slot& used = slot(index);
  engine_.issue(command, index, now);
  queue.remove(pool_, id);
  --queued_;
  if (queue.empty()) {
    displace(index, used);
    used.place = Place::nowhere;
  } else {
    const Best best = best_of(index);
    const bool stays = best.command == command && engine_.bank_ready(command, index) <= now.value();
    used.candidate = best;
    if (!stays) {
      displace(index, used);
      place(index, used, now);
    }
  }
  next_data_ = first_gate<Kind::data>();
  find_next();
}

HMSIM_INLINE void NativeBanks::activate(std::int32_t bank, std::int64_t row, Cycle now) {
  engine_.issue(Command::activate, bank, now);
  set_open(bank, true);
  if (slot(bank).is(Command::activate)) {
    const bool write = pool_[slot(bank).candidate.id].request.write;
    row_taken(bank, row, write ? Command::write : Command::read, now);
  } else {
    row_changed(bank, row, now);
  }
  next_other_ = first_gate<Kind::row>();
  find_next();
}

HMSIM_INLINE void NativeBanks::precharge(std::int32_t index, Cycle now) {
  engine_.issue(Command::precharge, index, now);
  set_open(index, false);
  Slot& closed = slot(index);
  if (closed.is(Command::precharge)) {
    row_taken(index, kNoRow, Command::activate, now);
    next_other_ = first_gate<Kind::row>();
    find_next();
  } else if (closed.place == Place::nowhere) {  // and stays there
    close(index);
  } else {
    row_changed(index, kNoRow, now);
  }
}

}  // namespace hmsim
