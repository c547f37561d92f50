// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/ordering.h"

namespace hmsim {

namespace {

// Creates the policy that a parameter names, or the caller's replacement.
template <class Kind>
std::unique_ptr<Kind> make(const SystemConfig& config, PolicyKind kind, const char* parameter,
                           const std::string& name) {
  const auto maker = config.makers.find(parameter);
  std::unique_ptr<Policy> policy = maker != config.makers.end()
                                       ? maker->second()
                                       : create_policy(kind, name, config.assignments);
  return std::unique_ptr<Kind>(static_cast<Kind*>(policy.release()));
}

std::unique_ptr<TransactionScheduler> make_scheduler(const SystemConfig& config,
                                                     const char* parameter,
                                                     const std::string& name) {
  return make<TransactionScheduler>(config, PolicyKind::transaction_scheduler, parameter, name);
}

}  // namespace

Ordering::Ordering(const SystemConfig& config, const ChannelLayout& layout, std::size_t slots)
    : layout_(layout), guard_(slots) {
  const ControllerParameters& controller = layout.controller;
  schedulers_[0] = make_scheduler(config, "controller.scheduler", controller.scheduler);
  if (layout.split) {
    schedulers_[1] =
        make_scheduler(config, "controller.nvdimm_scheduler", controller.nvdimm_scheduler);
  }
  arbiter_ =
      make<BusArbiter>(config, PolicyKind::bus_arbiter, "controller.arbiter", controller.arbiter);
  hooks_ = arbiter_->hooks();
  for (std::size_t queue = 0; queue < layout.queues(); ++queue) {
    hooks_ |= schedulers_[queue]->hooks();
  }
  // A completion reports the row hit that was known at the data-bus command.
  hooks_ |= wanted(TransactionPolicy::kComplete) ? unsigned{TransactionPolicy::kIssue} : 0;
}

void Ordering::connect(const ChannelShape& shape, const SourceProgress& progress,
                       const EdgeClock& clock) {
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    schedulers_[queue]->connect(shape, progress);
  }
  arbiter_->connect(shape, progress);
  limit_waiting();
  change_with_time(clock);
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    orders_[queue] = schedulers_[queue]->fixed_order();
    changes_ = changes_ || orders_[queue] == FixedOrder::none;
  }
  changes_ = changes_ || guard_.active();
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    hit_keys_[static_cast<std::size_t>(memory)] =
        orders_[layout_.queue_of(memory)] == FixedOrder::hits_first ? 1 : 0;
  }
}

void Ordering::limit_waiting() {
  const Tick limit_of_all = layout_.controller.starvation_limit;
  const std::int64_t period = layout_.period.value();
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    const Tick own = schedulers_[queue]->patience();
    const Tick limit = limit_of_all == kNoLimit ? own : earlier(own, limit_of_all);
    if (limit != kNever) {
      guard_.limit(queue, Cycle((limit.value() + period - 1) / period));
    }
  }
}

void Ordering::change_with_time(const EdgeClock& clock) {
  const Tick now = clock.time_of(clock.edge());
  next_change_ = kNeverCycle;
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    TransactionScheduler& scheduler = *schedulers_[queue];
    if (scheduler.next_change() <= now) {
      scheduler.change(now);
    }
    if (scheduler.next_change() != kNever) {
      next_change_ = earlier(next_change_, clock.edge_from(scheduler.next_change()));
    }
  }
}

void Ordering::set_keys(Transaction& transaction) {
  if (transaction.overdue) {
    transaction.key_miss = kFirstOfAll;
    transaction.key_hit = kFirstOfAll;
    return;
  }
  if (orders_[layout_.queue_of(transaction.request.memory)] != FixedOrder::none) {
    set_fixed_keys(transaction);
    return;
  }
  const TransactionScheduler& scheduler = scheduler_of(transaction.request.memory);
  transaction.key_miss = scheduler.key(view(transaction, false));
  transaction.key_hit = scheduler.key(view(transaction, true));
}

void Ordering::serialize(Archive& archive, std::size_t slots) {
  archive(guard_, epochs_, next_change_);
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    TransactionScheduler& scheduler = *schedulers_[queue];
    scheduler.serialize(archive);
    scheduler.serialize_changes(archive);
    archive.check_indices(scheduler.changed_slots(), slots, "invalid slot");
  }
  arbiter_->serialize(archive);
}

// Saves row_hit of each view if a policy observes completions, and nothing else: loading derives
// the rest of a view from its transaction.
void Ordering::serialize_views(Archive& archive, const std::vector<Transaction*>& held, bool all) {
  const bool asked = wanted(TransactionPolicy::kComplete);
  for (Transaction* each : held) {
    bool row_hit = each->viewed && each->view.row_hit;
    if (asked) {
      archive(row_hit);
    }
    if (archive.loading() && (asked || all) && each->state != TransactionState::barred) {
      view(*each, asked && row_hit);
    }
  }
}

void Ordering::restore(Archive& archive, const std::vector<Transaction*>& held) {
  guard_.restore(archive, held, [this](MemoryClass memory) { return layout_.queue_of(memory); });
}

}  // namespace hmsim
