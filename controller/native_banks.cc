// SPDX-License-Identifier: BSD-3-Clause
#include "controller/native_banks.h"

namespace hmsim {

namespace {

// Of the sets numbered (place x 4 + command), those of reads and writes.
constexpr std::uint64_t kDataSets = 0xCCCC'CCCC'CCCC'CCCCu;

template <class F>
void for_each_bit(std::uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) {
    f(static_cast<std::size_t>(__builtin_ctzll(bits)));
  }
}

}  // namespace

NativeBanks::NativeBanks(const DramParameters& dram, const TimingEngine& engine,
                         TransactionPool& pool)
    : engine_(engine),
      pool_(pool),
      banks_per_rank_(static_cast<int>(dram.organisation.banks)),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank_))),
      group_shift_(rank_shift_ - __builtin_ctz(static_cast<unsigned>(dram.organisation.groups))),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)),
      ready_(ranks_.size() * static_cast<std::size_t>(dram.organisation.groups) * kBankCommands),
      wheel_(engine.longest_bank_rule(), banks_.size()) {}

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
  at(bank).open_row = row;
  at(bank).queued[0].row_changed();
  at(bank).queued[1].row_changed();
  update(bank, now);
}

void NativeBanks::block(std::int32_t bank, bool blocked, Cycle now) {
  at(bank).blocked = blocked;
  update(bank, now);
}

void NativeBanks::displace(std::size_t index) {
  const Bank& bank = banks_[index];
  if (bank.place == Place::waiting) {
    wheel_.erase(index, bank.ready_at);
  } else if (bank.place == Place::ready) {
    const std::size_t number = set_of(index, bank.candidate.command);
    ReadySet& set = ready_[number];
    set.banks &= ~(std::uint64_t{1} << in_rank(index));
    ready_sets_ &= ~(std::uint64_t{set.banks == 0} << number);
    if (set.first == static_cast<int>(index)) {
      set.first = kUnknown;
    }
  }
}

void NativeBanks::place_ready(std::size_t index) {
  Bank& bank = banks_[index];
  const std::size_t number = set_of(index, bank.candidate.command);
  ReadySet& set = ready_[number];
  if (set.banks == 0 ||
      (set.first != kUnknown && goes_first(bank.candidate, at(set.first).candidate))) {
    set.first = static_cast<int>(index);
  }
  set.banks |= std::uint64_t{1} << in_rank(index);
  ready_sets_ |= std::uint64_t{1} << number;
  bank.place = Place::ready;
}

bool NativeBanks::goes_first(const Best& one, const Best& other) const {
  return reserves_data_bus(one.command)
             ? goes_before(one.key, one.request, other.key, other.request)
             : one.request < other.request;
}

// Finds the bank's candidate and its place again.
void NativeBanks::update(std::int32_t index, Cycle now) {
  Bank& bank = at(index);
  const auto place = static_cast<std::size_t>(index);
  BankQueue& queue = bank.queued[side_];
  if (queue.empty() || bank.blocked) {
    displace(place);
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
  const std::size_t set = set_of(place, command);
  const bool stays =
      bank.place == Place::ready && bank.candidate.command == command && ready_at <= now.value();
  if (stays) {
    ready_[set].first = ready_[set].banks == std::uint64_t{1} << in_rank(place) ? index : kUnknown;
  } else {
    displace(place);
  }
  bank.candidate = {id, transaction.key_hit, transaction.request.id, command};
  bank.ready_at = ready_at;
  if (ready_at > now.value()) {
    bank.place = Place::waiting;
    wheel_.insert(place, ready_at, now.value());
    next_ = earlier(next_, ready_at);
  } else {
    if (!stays) {
      place_ready(place);
    }
    next_ = earlier(next_, gate_of(set).value());
  }
}

void NativeBanks::find_first(std::size_t number, bool started_only) {
  ReadySet& set = ready_[number];
  const std::size_t base = rank_of_set(number) << rank_shift_;
  set.first = kUnknown;
  for_each_bit(set.banks, [&](std::size_t bit) {
    const auto bank = static_cast<std::int32_t>(base + bit);
    const Best& candidate = at(bank).candidate;
    if (started_only && !pool_[candidate.id].started) {
      return;  // until one of its rank finishes
    }
    if (set.first == kUnknown || goes_first(candidate, at(set.first).candidate)) {
      set.first = bank;
    }
  });
}

// The candidate that goes first in a ready set; nullptr when none may start.
const Best* NativeBanks::first_of(std::size_t number) {
  ReadySet& set = ready_[number];
  const bool held = ranks_[rank_of_set(number)].held;
  if (held || set.first == kUnknown) {
    find_first(number, held);
  }
  const int first = set.first;
  if (held) {
    set.first = kUnknown;
  }
  return first == kUnknown ? nullptr : &at(first).candidate;
}

void NativeBanks::advance(Cycle edge) {
  wheel_.advance(edge.value(), [this](std::size_t bank) { place_ready(bank); });
}

void NativeBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  advance(edge);
  for_each_bit(ready_sets_ & kDataSets, [&](std::size_t set) {
    const Cycle gate = gate_of(set);
    if (gate <= edge + turnaround) {
      if (const Best* const best = first_of(set)) {
        (gate <= edge ? candidates.legal : candidates.near)[0].consider(*best);
      }
    }
  });
}

void NativeBanks::collect_others(Cycle edge, Candidates& candidates) {
  for_each_bit(ready_sets_ & ~kDataSets, [&](std::size_t set) {
    if (gate_of(set) <= edge) {
      if (const Best* const best = first_of(set)) {
        candidates.consider_other(*best);
      }
    }
  });
}

void NativeBanks::look_ahead() {
  std::int64_t next = wheel_.next();
  for_each_bit(ready_sets_, [&](std::size_t set) { next = earlier(next, gate_of(set).value()); });
  next_ = next;
}

void NativeBanks::rebuild(Cycle now) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].queued[0].rebuild(pool_);
    banks_[bank].queued[1].rebuild(pool_);
    update(static_cast<std::int32_t>(bank), now);
  }
}

void NativeBanks::serialize(Archive& archive, Cycle now) {
  archive(banks_, ranks_, side_, next_);
  if (archive.loading()) {
    wheel_.clear(now.value());
    ready_.assign(ready_.size(), ReadySet());
    ready_sets_ = 0;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      banks_[bank].place = Place::nowhere;
      update(static_cast<std::int32_t>(bank), now);
    }
  }
}

}  // namespace hmsim
