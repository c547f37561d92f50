// SPDX-License-Identifier: BSD-3-Clause
// Policies of a channel: the schedulers' keys of transactions, which transactions are overdue,
// which class gets the data bus, and the calls of policies' hooks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controller/channel/candidates.h"
#include "controller/channel/edge_clock.h"
#include "controller/channel/starvation_guard.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

class Ordering {
 public:
  Ordering(const SystemConfig& config, const ChannelLayout& layout, std::size_t slots);

  // Call once, before the first admission.
  void connect(const ChannelShape& shape, const SourceProgress& progress, const EdgeClock& clock);

  std::array<TransactionScheduler*, kMemoryClasses> schedulers() const {
    return {schedulers_[0].get(), schedulers_[1].get()};
  }
  std::vector<PolicyCounter> arbiter_counters() { return arbiter_->counters(); }
  bool orders_nvdimm_commands() const {
    return scheduler_of(MemoryClass::nvdimm).orders_commands();
  }
  // Returns the direction of DRAM requests that an overdue one or the scheduler wants. `sides` has
  // side_of(transaction): 1 for writes.
  template <class Sides>
  Direction direction(const TransactionPool& pool, const Sides& sides) const {
    const std::uint32_t overdue =
        guard_.active() ? guard_.oldest_overdue(MemoryClass::dram) : StarvationGuard::kNone;
    if (overdue == StarvationGuard::kNone) {
      return schedulers_[0]->direction();
    }
    return sides.side_of(pool[overdue]) == 1 ? Direction::writes : Direction::reads;
  }
  StarvationGuard& guard() { return guard_; }
  const StarvationGuard& guard() const { return guard_; }

  // Returns whether keys may change or waiting is limited.
  bool changes() const { return changes_; }
  // Returns whether a scheduler's keys changed since the last call of all_keys_changed().
  bool keys_changed() const { return keys_changed(0) || (layout_.split && keys_changed(1)); }
  bool keys_changed(std::size_t queue) const {
    const TransactionScheduler& scheduler = *schedulers_[queue];
    return scheduler.epoch() != epochs_[queue] || scheduler.any_changed();
  }
  // Returns whether the keys of all transactions of a queue changed, and marks the change as seen.
  // If not, changed_slots() lists the changed ones.
  bool all_keys_changed(std::size_t queue) {
    const bool all = schedulers_[queue]->epoch() != epochs_[queue];
    epochs_[queue] = schedulers_[queue]->epoch();
    return all;
  }
  std::vector<std::uint32_t>& changed_slots(std::size_t queue) {
    return schedulers_[queue]->changed_slots();
  }
  // next_change(): the first edge on which a scheduler changes by time alone. change_with_time()
  // applies the changes that are due.
  Cycle next_change() const { return next_change_; }
  void change_with_time(const EdgeClock& clock);

  bool withholds(Transaction& transaction) {
    return orders_[layout_.queue_of(transaction.request.memory)] == FixedOrder::none &&
           scheduler_of(transaction.request.memory).withholds(view(transaction, false));
  }
  void set_keys(Transaction& transaction);
  // Returns whether the order is fixed and the transaction is not overdue. Then set_fixed_keys()
  // sets the keys without a call of the scheduler.
  bool has_fixed_keys(const Transaction& transaction) const {
    return !transaction.overdue &&
           orders_[layout_.queue_of(transaction.request.memory)] != FixedOrder::none;
  }
  void set_fixed_keys(Transaction& transaction) const {
    transaction.key_miss = 0;
    transaction.key_hit = hit_keys_[static_cast<std::size_t>(transaction.request.memory)];
  }

  // Chooses between two data-bus commands. `held`: slots by class. The second result is whether the
  // arbiter was asked.
  template <class RowHit>
  std::pair<MemoryClass, bool> arbitrate(const Best& dram, const Best& nvdimm,
                                         const std::array<std::int64_t, kMemoryClasses>& held,
                                         Tick now, RowHit row_hit);

  // Reports an event of the transaction to its scheduler and the arbiter if they want it. Calls
  // row_hit() only in that case.
  template <class RowHit>
  void notify(TransactionPolicy::Hook hook,
              void (TransactionPolicy::*call)(const RequestView&, Tick), Transaction& transaction,
              Cycle edge, RowHit row_hit) {
    if (wanted(hook)) {
      const RequestView& seen = view(transaction, row_hit());
      const Tick now = layout_.time_of(edge);
      TransactionScheduler& scheduler = scheduler_of(transaction.request.memory);
      if (scheduler.wants(hook)) {
        (scheduler.*call)(seen, now);
      }
      if (arbiter_->wants(hook)) {
        ((*arbiter_).*call)(seen, now);
      }
    }
  }
  bool wanted(TransactionPolicy::Hook hook) const { return (hooks_ & hook) != 0; }
  // Returns the policies' view of the transaction; creates it on first use.
  const RequestView& view(Transaction& transaction, bool row_hit) const {
    if (!transaction.viewed) {
      transaction.viewed = true;
      transaction.view = layout_.view_of(transaction);
    }
    transaction.view.row_hit = row_hit;
    return transaction.view;
  }

  // When loading, call serialize_views() next, with all transactions once they are located, and
  // then restore(). `all`: creates views even if no policy needs them.
  void serialize(Archive& archive, std::size_t slots);
  void serialize_views(Archive& archive, const std::vector<Transaction*>& held, bool all);
  void restore(Archive& archive, const std::vector<Transaction*>& held);

 private:
  TransactionScheduler& scheduler_of(MemoryClass memory) const {
    return *schedulers_[layout_.queue_of(memory)];
  }
  void limit_waiting();

  const ChannelLayout& layout_;
  std::array<std::unique_ptr<TransactionScheduler>, kMemoryClasses> schedulers_;  // by queue
  std::unique_ptr<BusArbiter> arbiter_;
  unsigned hooks_ = 0;                                    // hooks that need policies' views
  std::array<FixedOrder, kMemoryClasses> orders_{};       // by queue
  std::array<std::uint64_t, kMemoryClasses> hit_keys_{};  // by class, for fixed orders
  std::array<std::uint64_t, kMemoryClasses> epochs_{};    // by queue
  Cycle next_change_ = kNeverCycle;
  bool changes_ = false;
  StarvationGuard guard_;
};

template <class RowHit>
std::pair<MemoryClass, bool> Ordering::arbitrate(
    const Best& dram, const Best& nvdimm, const std::array<std::int64_t, kMemoryClasses>& held,
    Tick now, RowHit row_hit) {
  Transaction& one = *dram.transaction;
  Transaction& other = *nvdimm.transaction;
  if (one.overdue || other.overdue) {
    const bool dram_first = one.overdue && (!other.overdue || one.request.id < other.request.id);
    return {dram_first ? MemoryClass::dram : MemoryClass::nvdimm, false};
  }
  return {arbiter_->choose({view(one, row_hit(one)), view(other, row_hit(other)), dram.key,
                            nvdimm.key, static_cast<int>(held[0]), static_cast<int>(held[1]), now}),
          true};
}

}  // namespace hmsim
