// SPDX-License-Identifier: BSD-3-Clause
// The schedulers' part: the keys of transactions, and when they change.
#include "controller/channel.h"

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

void Channel::hasten_overdue() {
  while (guard_.next() <= edge_) {
    const TransactionId id = guard_.take();
    pool_[id].overdue = true;
    rekey(id);
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
        rekey(static_cast<TransactionId>(slot));
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
    Transaction& transaction = pool_[static_cast<TransactionId>(i)];
    if (&scheduler_of(transaction.request.memory) != &scheduler) {
      continue;
    }
    if (transaction.state == TransactionState::queued ||
        transaction.state == TransactionState::waiting ||
        transaction.state == TransactionState::ready) {
      set_keys(transaction);
    } else if (transaction.state == TransactionState::withheld) {
      compete(static_cast<TransactionId>(i));
    }
  }
  banks_.rebuild(edge_);
  endpoint_.rebuild();
}

void Channel::rekey(TransactionId id) {
  Transaction& transaction = pool_[id];
  if (transaction.state == TransactionState::withheld) {
    compete(id);
  } else if (is_nvdimm(transaction)) {
    if (transaction.state == TransactionState::waiting) {
      set_keys(transaction);
    } else if (transaction.state == TransactionState::queued) {
      endpoint_.remove(id);
      set_keys(transaction);
      endpoint_.insert(id);
    } else if (transaction.state == TransactionState::ready) {
      endpoint_.granted(id);
      set_keys(transaction);
      endpoint_.insert_ready(id, transaction.grant_from);
    }
  } else if (transaction.state == TransactionState::queued) {
    banks_.remove(id, side_of(transaction), edge_);
    set_keys(transaction);
    banks_.insert(id, side_of(transaction), edge_);
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

}  // namespace hmsim
