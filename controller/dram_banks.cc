// SPDX-License-Identifier: BSD-3-Clause
#include "controller/dram_banks.h"

namespace hmsim {

namespace {

template <class F>
void for_each_bit(std::uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) {
    f(__builtin_ctzll(bits));
  }
}

}  // namespace

DramBanks::DramBanks(const DramParameters& dram, const TimingEngine& engine, TransactionPool& pool)
    : engine_(engine),
      pool_(pool),
      banks_per_rank_(static_cast<int>(dram.organisation.banks)),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank_))),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)),
      ready_(ranks_.size() * kBankCommands, 0),
      wheel_(engine.longest_bank_rule(), banks_.size()) {}

void DramBanks::insert(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  Bank& bank = at(index);
  bank.queued[side].insert(pool_, id, bank.open_row);
  if (side == side_ && bank.queued[side].best(pool_, bank.open_row) == id) {
    update(index, now);
  }
}

void DramBanks::remove(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  at(index).queued[side].remove(pool_, id);
  if (side == side_) {
    update(index, now);
  }
}

void DramBanks::compete(std::size_t side, Cycle now) {
  if (side_ != side) {
    side_ = side;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

void DramBanks::opened(std::int32_t bank, std::int64_t row, Cycle now) {
  at(bank).open_row = row;
  at(bank).queued[0].row_changed();
  at(bank).queued[1].row_changed();
  ++ranks_[rank_of(static_cast<std::size_t>(bank))].open_banks;
  update(bank, now);
}

void DramBanks::closed(std::int32_t bank, Cycle now) {
  at(bank).open_row = kNoRow;
  at(bank).queued[0].row_changed();
  at(bank).queued[1].row_changed();
  --ranks_[rank_of(static_cast<std::size_t>(bank))].open_banks;
  update(bank, now);
}

void DramBanks::block(int rank, bool blocked) {
  ranks_[static_cast<std::size_t>(rank)].blocked = blocked;
  const std::uint64_t sets = ((std::uint64_t{1} << kBankCommands) - 1) << (rank * kBankCommands);
  unblocked_sets_ = blocked ? unblocked_sets_ & ~sets : unblocked_sets_ | sets;
}

void DramBanks::displace(std::size_t index) {
  const Bank& bank = banks_[index];
  if (bank.place == Place::waiting) {
    wheel_.erase(index, bank.ready_at);
  } else if (bank.place == Place::ready) {
    const std::size_t set = set_of(index, bank.command);
    ready_[set] &= ~bit_of(index);
    ready_sets_ &= ~(std::uint64_t{ready_[set] == 0} << set);
  }
}

void DramBanks::place_ready(std::size_t index) {
  Bank& bank = banks_[index];
  const std::size_t set = set_of(index, bank.command);
  bank.place = Place::ready;
  ready_[set] |= bit_of(index);
  ready_sets_ |= std::uint64_t{1} << set;
}

// Finds the bank's candidate and its place again.
void DramBanks::update(std::int32_t index, Cycle now) {
  Bank& bank = at(index);
  const auto place = static_cast<std::size_t>(index);
  displace(place);
  BankQueue& queue = bank.queued[side_];
  if (queue.empty()) {
    bank.candidate = kNoTransaction;
    bank.place = Place::nowhere;
    return;
  }
  bank.candidate = queue.best(pool_, bank.open_row);
  const Transaction& transaction = pool_[bank.candidate];
  if (transaction.row == bank.open_row) {
    bank.command = transaction.request.write ? Command::write : Command::read;
  } else {
    bank.command = bank.open_row == kNoRow ? Command::activate : Command::precharge;
  }
  bank.ready_at = engine_.bank_ready(bank.command, index);
  if (bank.ready_at > now.value()) {
    bank.place = Place::waiting;
    wheel_.insert(place, bank.ready_at);
  } else {
    place_ready(place);
  }
}

void DramBanks::collect_set(int set, Candidates& candidates, bool legal) const {
  const auto command = static_cast<Command>(set % kBankCommands);
  const auto rank = static_cast<std::size_t>(set / kBankCommands);
  Best& best = (legal ? candidates.legal : candidates.near)[0];
  for_each_bit(ready_[static_cast<std::size_t>(set)], [&](int bit) {
    const TransactionId id =
        banks_[(rank << rank_shift_) + static_cast<std::size_t>(bit)].candidate;
    const Transaction& transaction = pool_[id];
    if (ranks_[rank].held && !transaction.started) {
      return;  // until one of its rank finishes
    }
    if (reserves_data_bus(command)) {
      best.consider(id, transaction.key_hit, transaction.request.id, command);
    } else {
      candidates.consider_other(id, transaction.request.id, command);
    }
  });
}

void DramBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  wheel_.advance(edge.value(), [this](std::size_t bank) { place_ready(bank); });
  for_each_bit(ready_sets_ & unblocked_sets_, [&](int set) {
    const Cycle gate = gate_of(set);
    if (gate <= edge) {
      collect_set(set, candidates, true);
    } else if (gate <= edge + turnaround &&
               reserves_data_bus(static_cast<Command>(set % kBankCommands))) {
      collect_set(set, candidates, false);
    }
  });
}

Cycle DramBanks::next(Cycle edge) const {
  Cycle next(wheel_.next());
  for_each_bit(ready_sets_ & unblocked_sets_, [&](int set) { next = earlier(next, gate_of(set)); });
  return later(edge, next);
}

std::int32_t DramBanks::closable(int rank, Cycle edge) const {
  const std::int32_t first = rank * banks_per_rank_;
  for (std::int32_t bank = first; bank < first + banks_per_rank_; ++bank) {
    if (at(bank).open_row != kNoRow && engine_.earliest(Command::precharge, rank, bank) <= edge) {
      return bank;
    }
  }
  return -1;
}

Cycle DramBanks::next_closable(int rank) const {
  const std::int32_t first = rank * banks_per_rank_;
  Cycle next = kNeverCycle;
  for (std::int32_t bank = first; bank < first + banks_per_rank_; ++bank) {
    if (at(bank).open_row != kNoRow) {
      next = earlier(next, engine_.earliest(Command::precharge, rank, bank));
    }
  }
  return next;
}

void DramBanks::rebuild(Cycle now) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].queued[0].rebuild(pool_);
    banks_[bank].queued[1].rebuild(pool_);
    update(static_cast<std::int32_t>(bank), now);
  }
}

void DramBanks::serialize(Archive& archive, Cycle now) {
  archive(banks_, ranks_, unblocked_sets_, side_);
  if (archive.loading()) {
    wheel_.clear(now.value());
    ready_.assign(ready_.size(), 0);
    ready_sets_ = 0;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      banks_[bank].place = Place::nowhere;
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

}  // namespace hmsim
