// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/dram_banks.h"

namespace hmsim {

DramBanks::DramBanks(const DramParameters& dram, TransactionPool& pool)
    : pool_(pool),
      banks_per_rank_(static_cast<std::int32_t>(dram.organisation.banks)),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)),
      rows_(pool.size(), banks_.size()) {
  const auto per_rank = static_cast<std::size_t>(dram.organisation.banks);
  const std::size_t per_group = per_rank / static_cast<std::size_t>(dram.organisation.groups);
  for (std::size_t i = 0; i < banks_.size(); ++i) {
    banks_[i].bit_in_rank = std::uint64_t{1} << (i % per_rank);
    banks_[i].bit = std::uint64_t{1} << (i % 64);
    banks_[i].place = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i / per_rank),
                       static_cast<std::uint16_t>(i / per_group)};
  }
}

void DramBanks::remove(const Transaction& transaction, std::size_t side, Cycle now) {
  leave(at(transaction.bank), transaction, side);
  if (side == side_) {
    update(transaction.bank, now);
  }
}

void DramBanks::rekeyed(Transaction& transaction, std::size_t side, Cycle now) {
  Bank& bank = at(transaction.bank);
  bank.queued[side].rekeyed(transaction, bank.open_row);
  if (side == side_) {
    update(transaction.bank, now);
  }
}

void DramBanks::change_side(std::size_t side, Cycle now) {
  side_ = side;
  for (Bank& bank : banks_) {
    bank.queued[side].row_changed();  // row changes while it was inactive were not tracked
  }
  update_all(now);
}

void DramBanks::update_all(Cycle now) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    update(static_cast<std::int32_t>(bank), now);
  }
}

void DramBanks::row_changed(std::int32_t bank, std::int64_t row, Cycle now) {
  Bank& changed = at(bank);
  changed.open_row = row;
  changed.queued[0].row_changed();
  changed.queued[1].row_changed();
  update(bank, now);
}

// Updates the given banks with queued transactions. Legal times of commands may have changed.
void DramBanks::update_each(int rank, std::uint64_t banks, Cycle now) {
  for (; banks != 0; banks &= banks - 1) {
    const std::int32_t bank = rank * banks_per_rank_ + __builtin_ctzll(banks);
    if (!at(bank).queued[side_].empty()) {
      update(bank, now);
    }
  }
  look_ahead();
}

void DramBanks::rebuild(Cycle now) {
  for (Bank& bank : banks_) {
    bank.queued[0].rebuild();
    bank.queued[1].rebuild();
  }
  update_all(now);
}

void DramBanks::serialize(Archive& archive) {
  archive.fixed(ranks_);
  for (Bank& bank : banks_) {
    archive(bank.open_row);
  }
  archive(side_);
  archive.check_index(side_, 2, "banks belong to neither reads nor writes");
  if (!archive.loading()) {
    return;
  }
  for (Rank& rank : ranks_) {
    rank.open = 0;
  }
  for (Bank& bank : banks_) {
    bank.queued[0].clear();
    bank.queued[1].clear();
    rank_of(bank).open |= bank.open_row != kNoRow ? bank.bit_in_rank : 0;
  }
  held_ = 0;
  queued_ = 0;
  rows_.clear();
}

void DramBanks::restored(Cycle now) {
  forget();
  update_all(now);
  look_ahead();
}

}  // namespace hmsim
