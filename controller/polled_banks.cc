// SPDX-License-Identifier: BSD-3-Clause
#include "controller/polled_banks.h"

namespace hmsim {

PolledBanks::PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool)
    : DramBanks(dram),
      timing_(timing),
      pool_(pool),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)) {}

void PolledBanks::insert(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  Bank& bank = at(index);
  bank.queued[side].insert(pool_, id, bank.open_row);
  if (side == side_ && bank.queued[side].best(pool_, bank.open_row) == id) {
    update(index, now);
  }
}

void PolledBanks::remove(TransactionId id, std::size_t side, Cycle now) {
  const std::int32_t index = pool_[id].bank;
  at(index).queued[side].remove(pool_, id);
  if (side == side_) {
    update(index, now);
  }
}

void PolledBanks::compete(std::size_t side, Cycle now) {
  if (side_ != side) {
    side_ = side;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

void PolledBanks::row_changed(std::int32_t bank, std::int64_t row, Cycle now) {
  at(bank).open_row = row;
  at(bank).queued[0].row_changed();
  at(bank).queued[1].row_changed();
  update(bank, now);
}

void PolledBanks::column(TransactionId id, std::size_t side, Command command, Cycle now) {
  timing_.issue(command, pool_[id].bank, now);
  remove(id, side, now);
  look_ahead();
}

void PolledBanks::activate(std::int32_t bank, std::int64_t row, Cycle now) {
  timing_.issue(Command::activate, bank, now);
  set_open(bank, true);
  row_changed(bank, row, now);
  look_ahead();
}

void PolledBanks::precharge(std::int32_t bank, Cycle now) {
  timing_.issue(Command::precharge, bank, now);
  set_open(bank, false);
  row_changed(bank, kNoRow, now);
  look_ahead();
}

void PolledBanks::block(std::int32_t bank, bool blocked, Cycle now) {
  at(bank).blocked += blocked ? 1 : -1;
  update(bank, now);
}

// Finds the bank's candidate again.
void PolledBanks::update(std::int32_t index, Cycle /*now*/) {
  Bank& bank = at(index);
  BankQueue& queue = bank.queued[side_];
  bank.competes = !queue.empty() && bank.blocked == 0;
  if (!bank.competes) {
    return;
  }
  const TransactionId id = queue.best(pool_, bank.open_row);
  const Transaction& transaction = pool_[id];
  Command command = bank.open_row == kNoRow ? Command::activate : Command::precharge;
  if (transaction.row == bank.open_row) {
    command = transaction.request.write ? Command::write : Command::read;
  }
  bank.candidate = {id, command, transaction.key_hit, transaction.request.id};
  bank.ready_at = timing_.bank_ready(command, index);
  ask(static_cast<std::size_t>(index));
  next_ = earlier(next_, bank.legal_at);
}

void PolledBanks::ask(std::size_t bank) {
  banks_[bank].legal_at =
      timing_.earliest(banks_[bank].candidate.command, static_cast<int>(bank)).value();
}

// The candidate of a competing bank whose next command the device takes by `horizon`, or nullptr.
const Best* PolledBanks::legal_by(std::size_t index, std::int64_t now, std::int64_t horizon) {
  Bank& bank = banks_[index];
  const Rank& rank = rank_of(index);
  if (!bank.competes || bank.ready_at > now || bank.legal_at > horizon ||
      (rank.held && !pool_[bank.candidate.id].started)) {
    return nullptr;
  }
  ask(index);
  return bank.legal_at > horizon ? nullptr : &bank.candidate;
}

void PolledBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for (std::size_t index = 0; index < banks_.size(); ++index) {
    if (reserves_data_bus(banks_[index].candidate.command)) {
      if (const Best* const best = legal_by(index, now, now + turnaround.value())) {
        Candidates::consider(
            (banks_[index].legal_at <= now ? candidates.legal : candidates.near)[0], *best);
      }
    }
  }
}

void PolledBanks::collect_others(Cycle edge, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for (std::size_t index = 0; index < banks_.size(); ++index) {
    if (!reserves_data_bus(banks_[index].candidate.command)) {
      if (const Best* const best = legal_by(index, now, now)) {
        candidates.consider_other(*best);
      }
    }
  }
  look_ahead();
}

void PolledBanks::look_ahead() {
  std::int64_t next = kNeverCycle.value();
  for (std::size_t index = 0; index < banks_.size(); ++index) {
    if (banks_[index].competes) {
      ask(index);
      next = earlier(next, banks_[index].legal_at);
    }
  }
  next_ = next;
}

void PolledBanks::rebuild(Cycle now) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].queued[0].rebuild(pool_);
    banks_[bank].queued[1].rebuild(pool_);
    update(static_cast<std::int32_t>(bank), now);
  }
}

void PolledBanks::serialize(Archive& archive, Cycle now) {
  archive(banks_, ranks_, open_banks_, side_, next_);
  if (archive.loading()) {
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

}  // namespace hmsim
