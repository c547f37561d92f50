// SPDX-License-Identifier: BSD-3-Clause
#include "controller/native_banks.h"

namespace hmsim {

namespace {

constexpr std::size_t kBankCommands = TimingEngine::kBankCommands;

// `count` bits from bit `first` on.
std::uint64_t bits(std::size_t first, std::size_t count) {
  return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

std::size_t first_bit(std::uint64_t set) { return static_cast<std::size_t>(__builtin_ctzll(set)); }

}  // namespace

NativeBanks::NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool)
    : DramBanks(dram),
      engine_(engine),
      pool_(pool),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(dram.organisation.banks))),
      group_shift_(rank_shift_ - __builtin_ctz(static_cast<unsigned>(dram.organisation.groups))),
      data_sets_(
          bits(static_cast<std::size_t>(Command::read) * engine.groups(), 2 * engine.groups())),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)),
      ready_(kBankCommands * engine.groups()),
      waiting_(banks_.size()) {
  place_banks();
}

void NativeBanks::place_banks() {
  const std::size_t banks_per_group = std::size_t{1} << group_shift_;
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].group = bank >> group_shift_;
    banks_[bank].bit = std::uint64_t{1} << (bank & (banks_per_group - 1));
  }
}

void NativeBanks::insert(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  Bank& bank = at(index);
  bank.queued[side].insert(pool_, id, bank.open_row);
  if (side == side_ && bank.queued[side].best(pool_, bank.open_row) == id) {
    update(index, now);
  }
}

void NativeBanks::remove(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  at(index).queued[side].remove(pool_, id);
  if (side == side_) {
    update(index, now);
  }
}

void NativeBanks::compete(std::size_t side, Cycle now) {
  if (side_ != side) {
    side_ = side;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

void NativeBanks::row_changed(std::int32_t bank, std::int64_t row, Cycle now) {
  Bank& changed = at(bank);
  changed.open_row = row;
  changed.queued[0].row_changed();
  changed.queued[1].row_changed();
  update(bank, now);
}

// A command moves the gates of its own kind; so only their sets are looked at again. (The other
// bound stays one, if another kind's gates moved too.)
void NativeBanks::column(TransactionId id, std::size_t side, Command command, Cycle now) {
  engine_.issue(command, pool_[id].bank, now);
  remove(id, side, now);
  next_data_ = scan(data_sets_, Cycle(-1), [](std::size_t, std::int64_t) {});
  find_next();
}

void NativeBanks::activate(std::int32_t bank, std::int64_t row, Cycle now) {
  engine_.issue(Command::activate, bank, now);
  set_open(bank, true);
  row_changed(bank, row, now);
  next_other_ = scan(~data_sets_, Cycle(-1), [](std::size_t, std::int64_t) {});
  find_next();
}

void NativeBanks::precharge(std::int32_t bank, Cycle now) {
  engine_.issue(Command::precharge, bank, now);
  set_open(bank, false);
  row_changed(bank, kNoRow, now);
  next_other_ = scan(~data_sets_, Cycle(-1), [](std::size_t, std::int64_t) {});
  find_next();
}

void NativeBanks::block(std::int32_t bank, bool blocked, Cycle now) {
  at(bank).blocked += blocked ? 1 : -1;
  if (!at(bank).queued[side_].empty()) {
    update(bank, now);
  }
}

void NativeBanks::hold(int rank, bool held) {
  bool& before = ranks_[static_cast<std::size_t>(rank)].held;
  held_ranks_ += (held ? 1 : 0) - (before ? 1 : 0);
  before = held;
}

inline void NativeBanks::displace(std::int32_t index) {
  const Bank& bank = at(index);
  if (bank.place == Place::ready) {
    ready_[bank.set] &= ~bank.bit;
    ready_sets_ &= ~(std::uint64_t{ready_[bank.set] == 0} << bank.set);
  } else if (bank.place == Place::waiting) {
    waiting_.erase(index);
  }
}

inline void NativeBanks::place_ready(Bank& bank) {
  bank.place = Place::ready;
  bank.set = engine_.gate_number(bank.candidate.command, bank.group);
  ready_[bank.set] |= bank.bit;
  const std::uint64_t set = std::uint64_t{1} << bank.set;
  ready_sets_ |= set;
  const std::int64_t gate = engine_.gate(bank.set).value();
  std::int64_t& next = (data_sets_ & set) != 0 ? next_data_ : next_other_;
  next = earlier(next, gate);
  next_ = earlier(next_, gate);
}

// Finds the bank's candidate and its place again.
void NativeBanks::update(std::int32_t index, Cycle now) {
  Bank& bank = at(index);
  BankQueue& queue = bank.queued[side_];
  if (queue.empty() || bank.blocked > 0) {
    displace(index);
    bank.place = Place::nowhere;
    return;
  }
  const TransactionId id = queue.best(pool_, bank.open_row);
  const Transaction& transaction = pool_[id];
  Command command = bank.open_row == kNoRow ? Command::activate : Command::precharge;
  if (transaction.row == bank.open_row) {
    command = transaction.request.write ? Command::write : Command::read;
  }
  const std::int64_t ready_at = engine_.bank_ready(command, index);
  const bool stays =
      bank.place == Place::ready && bank.candidate.command == command && ready_at <= now.value();
  if (!stays) {
    displace(index);
  }
  bank.candidate = {id, command, transaction.key_hit, transaction.request.id};
  if (ready_at > now.value()) {
    bank.place = Place::waiting;
    waiting_.insert(index, ready_at);
    next_ = earlier(next_, ready_at);
  } else if (!stays) {
    place_ready(bank);
  }
}

// Calls found(set, gate) for those of `sets` that have ready banks and open by `horizon`. Returns
// when the first one opens.
template <class Found>
std::int64_t NativeBanks::scan(std::uint64_t sets, Cycle horizon, Found found) const {
  std::int64_t next = kNeverCycle.value();
  for (sets &= ready_sets_; sets != 0; sets &= sets - 1) {
    const std::size_t set = first_bit(sets);
    const std::int64_t gate = engine_.gate(set).value();
    next = earlier(next, gate);
    if (gate <= horizon.value()) {
      found(set, gate);
    }
  }
  return next;
}

// Calls consider(candidate) for those of a ready set that may be issued.
template <class Consider>
void NativeBanks::each_of(std::size_t set, Consider consider) const {
  const std::size_t first = (set & (engine_.groups() - 1)) << group_shift_;
  for (std::uint64_t banks = ready_[set]; banks != 0; banks &= banks - 1) {
    const std::size_t bank = first + first_bit(banks);
    const Best& candidate = banks_[bank].candidate;
    // A rank whose command queue is full starts no transaction.
    if (held_ranks_ == 0 || !ranks_[bank >> rank_shift_].held || pool_[candidate.id].started) {
      consider(candidate);
    }
  }
}

inline void NativeBanks::take_ready(Cycle edge) {
  waiting_.advance(edge.value(), [this](std::int32_t bank) { place_ready(at(bank)); });
}

void NativeBanks::advance(Cycle edge) {
  take_ready(edge);
  find_next();
}

void NativeBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  take_ready(edge);
  const Cycle horizon = edge + turnaround;
  if (next_data_ <= horizon.value()) {
    next_data_ = scan(data_sets_, horizon, [&](std::size_t set, std::int64_t gate) {
      const Best*& best = (gate <= edge.value() ? candidates.legal : candidates.near)[0];
      each_of(set, [&best](const Best& candidate) { Candidates::consider(best, candidate); });
    });
  }
  find_next();
}

void NativeBanks::collect_others(Cycle edge, Candidates& candidates) {
  if (next_other_ <= edge.value()) {
    next_other_ = scan(~data_sets_, edge, [&](std::size_t set, std::int64_t) {
      each_of(set, [&](const Best& candidate) { candidates.consider_other(candidate); });
    });
    find_next();
  }
}

void NativeBanks::look_ahead() {
  next_data_ = scan(data_sets_, Cycle(-1), [](std::size_t, std::int64_t) {});
  next_other_ = scan(~data_sets_, Cycle(-1), [](std::size_t, std::int64_t) {});
  find_next();
}

void NativeBanks::rebuild(Cycle now) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].queued[0].rebuild(pool_);
    banks_[bank].queued[1].rebuild(pool_);
    update(static_cast<std::int32_t>(bank), now);
  }
}

void NativeBanks::serialize(Archive& archive, Cycle now) {
  archive(banks_, ranks_, open_banks_, side_, next_);
  if (archive.loading()) {
    place_banks();
    waiting_.clear();
    ready_.assign(ready_.size(), 0);
    ready_sets_ = 0;
    held_ranks_ = 0;
    for (const Rank& rank : ranks_) {
      held_ranks_ += rank.held ? 1 : 0;
    }
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      banks_[bank].place = Place::nowhere;
      update(static_cast<std::int32_t>(bank), now);
    }
    look_ahead();
  }
}

}  // namespace hmsim
