// SPDX-License-Identifier: BSD-3-Clause
// The schedulers' part: the keys of transactions, when they change, and what overdue ones keep from
// others.
#include "controller/channel/channel.h"

namespace hmsim {

void Channel::limit_waiting() {
  for (std::size_t i = 0; i < (split_ ? 2 : 1); ++i) {
    const Tick own = schedulers_[i]->patience();
    const Tick limit =
        controller_.starvation_limit == kNoLimit ? own : earlier(own, controller_.starvation_limit);
    if (limit != kNever) {
      guard_.limit(i, Cycle((limit.value() + period_.value() - 1) / period_.value()));
    }
  }
}

// The keys of those that have waited for too long by now, and of those that schedulers changed.
void Channel::renew_keys() {
  if (guard_.next() <= edge_) {
    hasten_overdue();
  }
  if (edge_ >= next_policy_change_ || keys_changed()) {
    update_schedulers();
  }
}

// They end a calm: what they keep from others is looked at on each edge.
void Channel::hasten_overdue() {
  calm_until_ = Cycle(0);
  while (guard_.next() <= edge_) {
    Transaction& transaction = pool_[guard_.take()];
    transaction.overdue = true;
    rekey(transaction);
  }
}

void Channel::update_schedulers() {
  if (edge_ >= next_policy_change_) {
    change_schedulers();
  }
  for (std::size_t i = 0; i < (split_ ? 2 : 1); ++i) {
    std::vector<std::uint32_t>& changed = schedulers_[i]->changed_slots();
    if (schedulers_[i]->epoch() != epochs_[i]) {
      epochs_[i] = schedulers_[i]->epoch();
      rebuild_keys(*schedulers_[i]);
    } else {
      for (const std::uint32_t slot : changed) {
        rekey(pool_[slot]);
      }
    }
    changed.clear();
  }
}

void Channel::change_schedulers() {
  const Tick now = time_of(edge_);
  next_policy_change_ = kNeverCycle;
  for (std::size_t i = 0; i < (split_ ? 2 : 1); ++i) {
    if (schedulers_[i]->next_change() <= now) {
      schedulers_[i]->change(now);
    }
    if (schedulers_[i]->next_change() != kNever) {
      next_policy_change_ = earlier(next_policy_change_, edge_from(schedulers_[i]->next_change()));
    }
  }
}

void Channel::rebuild_keys(TransactionScheduler& scheduler) {
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    Transaction& transaction = pool_[static_cast<std::uint32_t>(i)];
    if (&scheduler_of(transaction.request.memory) != &scheduler) {
      continue;
    }
    if (transaction.state == TransactionState::queued ||
        transaction.state == TransactionState::waiting ||
        transaction.state == TransactionState::ready) {
      set_keys(transaction);
    } else if (transaction.state == TransactionState::withheld) {
      compete_by_key(transaction);
    }
  }
  banks_.rebuild(edge_);
  endpoint_.rebuild();
}

void Channel::rekey(Transaction& transaction) {
  switch (transaction.state) {
    case TransactionState::withheld:
      compete_by_key(transaction);
      return;
    case TransactionState::waiting:
      set_keys(transaction);
      return;
    case TransactionState::queued:
    case TransactionState::ready:
      set_keys(transaction);
      if (is_nvdimm(transaction)) {
        endpoint_.rekeyed(transaction);
      } else {
        banks_.rekeyed(transaction, side_of(transaction), edge_);
      }
      return;
    default:
      return;
  }
}

void Channel::set_keys(Transaction& transaction) {
  if (transaction.overdue) {
    transaction.key_miss = kFirstOfAll;
    transaction.key_hit = kFirstOfAll;
    return;
  }
  if (orders_[owner_of(transaction.request.memory)] != FixedOrder::none) {
    set_fixed_keys(transaction);
    return;
  }
  const TransactionScheduler& scheduler = scheduler_of(transaction.request.memory);
  transaction.key_miss = scheduler.key(seen(transaction, false));
  transaction.key_hit = scheduler.key(seen(transaction, true));
}

// While an overdue transaction waits for its data-bus command only, no other of its class has one:
// else those that need no turnaround could keep it from being legal for ever.
void Channel::reserve(Candidates& candidates) const {
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    const std::uint32_t slot = guard_.oldest_overdue(memory);
    if (slot != StarvationGuard::kNone && lacks_data_only(pool_[slot])) {
      const auto other = [overdue = &pool_[slot]](const Best* best) {
        return best != nullptr && best->transaction != overdue;
      };
      const auto i = static_cast<std::size_t>(memory);
      candidates.legal[i] = other(candidates.legal[i]) ? nullptr : candidates.legal[i];
      candidates.near[i] = other(candidates.near[i]) ? nullptr : candidates.near[i];
    }
  }
  if (controller_.ack == AckMode::automatic && overdue_burst_waits()) {
    candidates.legal[0] = nullptr;
    candidates.near[0] = nullptr;
  }
}

// In `auto` mode: the NVDIMM waits for a place for an overdue burst; no DRAM request has been
// overdue for longer.
bool Channel::overdue_burst_waits() const {
  if (!endpoint_.has_ack() || !endpoint_.first_ack().overdue) {
    return false;
  }
  const std::uint32_t dram = guard_.oldest_overdue(MemoryClass::dram);
  return dram == StarvationGuard::kNone ||
         endpoint_.first_ack().request.id < pool_[dram].request.id;
}

bool Channel::lacks_data_only(const Transaction& transaction) const {
  if (is_nvdimm(transaction)) {
    return transaction.state == TransactionState::ready;
  }
  const bool may_start = transaction.started || two_level_ ||
                         command_queue_free_[static_cast<std::size_t>(transaction.rank)] > 0;
  return transaction.state == TransactionState::queued && side_of(transaction) == side_ &&
         may_start && banks_.open_row(transaction.bank) == transaction.row;
}

}  // namespace hmsim
