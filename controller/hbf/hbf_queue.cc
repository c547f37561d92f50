// SPDX-License-Identifier: BSD-3-Clause
#include "controller/hbf/hbf_queue.h"

#include <algorithm>

namespace hmsim {

HbfQueue::HbfQueue(const SystemConfig& config, int index)
    : layout_(config, index),
      clock_(layout_.period),
      pool_(static_cast<std::size_t>(config.controller.slots_for_nvdimm())),
      ordering_(config, layout_, pool_.size()),
      banks_(static_cast<std::size_t>(layout_.pseudo_banks.count())),
      leaders_{BankLeaders(banks_.size()), BankLeaders(banks_.size())} {}

void HbfQueue::connect(const SystemConfig& config, const SourceProgress& progress) {
  move_clock(Tick(0));
  ordering_.connect(layout_.shape(config.nvdimms(), pool_.size()), progress, clock_);
  fixed_ = scheduler()->fixed_order() != FixedOrder::none;
  find_next_change();
}

void HbfQueue::find_next_change() {
  const Cycle next = ordering_.next_change();
  next_change_ = next == kNeverCycle ? kNever : layout_.time_of(next);
}

void HbfQueue::place(Transaction& transaction) const {
  transaction.local = Address(transaction.row * kPageBytes.value() +
                              (transaction.request.address.value() & (kPageBytes.value() - 1)));
  transaction.rank = layout_.nvdimm_rank;
  transaction.bank = layout_.pseudo_banks.of(transaction.row);
}

[[gnu::flatten]] Transaction& HbfQueue::admit(const Request& request, std::int64_t page, Tick now) {
  move_clock(now);
  Transaction& transaction = pool_.take();
  transaction.begin(request, clock_.edge());
  transaction.row = page;
  place(transaction);
  ordering_.notify(TransactionPolicy::kEnqueue, &TransactionPolicy::on_enqueue, transaction,
                   clock_.edge(), [&] { return row_hit(transaction); });
  if (conflicts(transaction)) {
    transaction.state = TransactionState::held;
    held_.push_back(&transaction);
  } else {
    compete(transaction);
  }
  return transaction;
}

// Returns whether an older request to the same page, in the other direction or held, is not sent.
// A write also waits for all older held writes of its bank.
bool HbfQueue::conflicts(const Transaction& transaction) {
  const BankQueue& others = bank_of(transaction).waiting[transaction.request.write ? 0 : 1];
  if (held_.empty() && others.empty()) {
    return false;
  }
  const auto older = [&transaction](const Transaction& other) {
    return other.row == transaction.row && other.request.id < transaction.request.id;
  };
  const auto ahead = [&transaction](const Transaction& other) {
    return other.request.write && transaction.request.write && other.bank == transaction.bank &&
           other.request.id < transaction.request.id;
  };
  bool found = std::any_of(held_.begin(), held_.end(), [&](const Transaction* other) {
    return older(*other) || ahead(*other);
  });
  others.each([&](const Transaction& other) { found = found || older(other); });
  return found;
}

void HbfQueue::set_keys(Transaction& transaction) {
  if (transaction.request.write) {
    transaction.key_miss = 0;
    transaction.key_hit = 0;
  } else if (fixed_ && !transaction.overdue) {
    ordering_.set_fixed_keys(transaction);
  } else {
    ordering_.set_keys(transaction);
  }
}

void HbfQueue::compete(Transaction& transaction) {
  if (!fixed_ && !transaction.request.write && ordering_.withholds(transaction)) {
    transaction.state = TransactionState::withheld;
    return;
  }
  transaction.state = TransactionState::queued;
  set_keys(transaction);
  insert(transaction);
}

void HbfQueue::insert(Transaction& transaction) {
  const std::size_t direction = transaction.request.write ? 1 : 0;
  const std::uint64_t bank = std::uint64_t{1} << transaction.bank;
  waiting_[direction] |= bank;
  if (!transaction.request.write) {
    reads_.add(transaction.row);
  }
  if (line_of(transaction).insert(transaction, bank_of(transaction).last_page)) {
    stale_[direction] |= bank;
  }
}

Transaction* HbfQueue::best_of(std::size_t direction) {
  for (std::uint64_t& stale = stale_[direction]; stale != 0; stale &= stale - 1) {
    const auto index = static_cast<std::size_t>(__builtin_ctzll(stale));
    Bank& bank = banks_[index];
    if ((waiting_[direction] & stale & -stale) == 0) {
      leaders_[direction].set(index, nullptr, 0);
    } else {
      // A write that hits goes before no older one.
      Transaction& own = bank.waiting[direction].best(
          bank.last_page, [&] { return direction == 0 && reads_.may_hold(bank.last_page); });
      leaders_[direction].set(index, &own, key_of(own, bank.last_page));
    }
  }
  return leaders_[direction].best();
}

Transaction* HbfQueue::oldest_write(const PendingPages& pages) {
  Transaction* oldest = nullptr;
  for (const Bank& bank : banks_) {
    bank.waiting[1].each([&](Transaction& each) {
      if (pages.begun(each.row) && (oldest == nullptr || each.request.id < oldest->request.id)) {
        oldest = &each;
      }
    });
  }
  return oldest;
}

void HbfQueue::sent(Transaction& transaction, Tick now) {
  Bank& bank = bank_of(transaction);
  const bool hit = row_hit(transaction);
  const std::size_t direction = transaction.request.write ? 1 : 0;
  const std::uint64_t bit = std::uint64_t{1} << transaction.bank;
  line_of(transaction).remove(transaction);
  if (!transaction.request.write) {
    reads_.remove(transaction.row);
  }
  if (line_of(transaction).empty()) {
    waiting_[direction] &= ~bit;
  }
  stale_[direction] |= bit;
  if (!hit) {
    bank.last_page = transaction.row;
    bank.waiting[0].row_changed();
    bank.waiting[1].row_changed();
    stale_[1 - direction] |= bit & waiting_[1 - direction];
  }
  transaction.state = TransactionState::waiting;
  notify(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction, now,
         [hit] { return hit; });
  if (!held_.empty()) {
    release_held();
  }
}

void HbfQueue::release_held() {
  std::vector<Transaction*> examined;
  examined.swap(held_);
  for (Transaction* each : examined) {
    if (conflicts(*each)) {
      held_.push_back(each);
    } else {
      compete(*each);
    }
  }
}

void HbfQueue::apply_changes(Tick now) {
  move_clock(now);
  if (clock_.edge() >= ordering_.next_change()) {
    ordering_.change_with_time(clock_);
    find_next_change();
  }
  if (!ordering_.keys_changed(1)) {
    return;
  }
  std::vector<std::uint32_t>& changed = ordering_.changed_slots(1);
  if (ordering_.all_keys_changed(1)) {
    for (Transaction* each : pool_.held()) {
      rekey(*each);
    }
  } else {
    for (const std::uint32_t slot : changed) {
      rekey(pool_[slot]);
    }
  }
  changed.clear();
}

void HbfQueue::rekey(Transaction& transaction) {
  if (transaction.state == TransactionState::withheld) {
    compete(transaction);
  } else if (transaction.state == TransactionState::queued) {
    set_keys(transaction);
    line_of(transaction).rekeyed(transaction, bank_of(transaction).last_page);
    stale_[transaction.request.write ? 1 : 0] |= std::uint64_t{1} << transaction.bank;
  }
}

void HbfQueue::serialize(Archive& archive) {
  archive(pool_);
  for (Bank& bank : banks_) {
    archive(bank.last_page);
  }
  ordering_.serialize(archive, pool_.size());
  const std::vector<Transaction*> all = pool_.held();
  if (archive.loading()) {
    find_next_change();
    reads_.clear();
    held_.clear();
    waiting_ = {};
    stale_.fill(~std::uint64_t{0} >> (64 - banks_.size()));
    for (Bank& bank : banks_) {
      bank.waiting = {};
    }
    for (Transaction* each : all) {
      archive.check(each->row >= 0 && is_nvdimm(*each), "request of another channel");
      place(*each);
    }
  }
  ordering_.serialize_views(archive, all, true);
  for (Transaction* each : all) {
    if (!archive.loading()) {
      continue;
    }
    if (each->state == TransactionState::held) {
      held_.push_back(each);
    } else if (each->state == TransactionState::queued) {
      insert(*each);
    }
  }
}

}  // namespace hmsim
