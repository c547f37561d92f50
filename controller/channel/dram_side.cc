// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/dram_side.h"

namespace hmsim {

namespace {

std::unique_ptr<PagePolicy> make_page_policy(const SystemConfig& config) {
  auto policy =
      create_policy(PolicyKind::page_policy, config.controller.page_policy, config.assignments);
  return std::unique_ptr<PagePolicy>(static_cast<PagePolicy*>(policy.release()));
}

}  // namespace

DramSide::DramSide(const SystemConfig& config, const ChannelLayout& layout,
                   const DramDevices& devices)
    : layout_(layout),
      timing_(*devices.timing),
      banks_(*devices.banks),
      native_(devices.native_banks),
      slots_(devices.slots.get()),
      refresh_(config.dram, timing_, banks_),
      management_(config.dram),
      drain_(config.controller, config.dram, refresh_),
      power_(config.dram, timing_, banks_, refresh_),
      pages_(make_page_policy(config), timing_, banks_,
             static_cast<std::size_t>(layout.nvdimm_rank * layout.banks_per_rank), layout.period),
      counts_waiting_(refresh_.elastic() || pages_.active()) {}

void DramSide::expedite(Transaction& write, Cycle edge) {
  banks_.remove(write, 1, edge);
  banks_.insert(write, 0, edge);
  count_waiting(write, 1, -1, edge);
  count_waiting(write, 0, 1, edge);
}

// The row may be read or written before the bank is closed for the RFM.
bool DramSide::count_activate(const Transaction& transaction, Cycle edge) {
  const bool reached = management_.activated(transaction.bank);
  if (reached) {
    refresh_.want(transaction.rank, edge + Cycle(layout_.dram.timing.tras));
  }
  return reached;
}

void DramSide::issue(const PowerStep& step, Cycle edge) {
  sides_changed_ = true;
  timing_.issue(step.command, step.rank * layout_.banks_per_rank, edge);
  power_.done(step, edge);
}

Cycle DramSide::next(Features features, Cycle edge, Cycle soonest) {
  Cycle next =
      earlier(features == Features::any ? next_command() : banks_.next(), refresh_.next(soonest));
  if (features == Features::any) {
    next = earlier(next, pages_.next());
    if (layout_.drained) {
      next = earlier(next, drain_.next(edge));
    }
    if (power_.active()) {
      next = earlier(next, power_.next(soonest));
    }
  }
  return next;
}

Cycle DramSide::next_own_action(Cycle edge, Cycle from) {
  Cycle next = layout_.drained ? drain_.next(edge) : kNeverCycle;
  if (power_.active()) {
    next = earlier(next, power_.next(from));
  }
  if (refresh_.elastic()) {
    next = earlier(next, earlier(refresh_.next(from), refresh_.next_urgent()));
  }
  plans_changed_ = false;
  return next;
}

void DramSide::serialize(Archive& archive) {
  timing_.serialize(archive);
  if (slots_ != nullptr) {
    slots_->serialize(archive);
  }
  archive(refresh_, management_, power_, pages_, drain_, banks_);
  sides_changed_ = sides_changed_ || archive.loading();
}

void DramSide::restore(Transaction& transaction) {
  const std::size_t side = side_of(transaction);
  banks_.restore(transaction, side);
  if (counts_waiting_) {
    refresh_.count_waiting(transaction.rank, 1);
    pages_.count_waiting(transaction.bank, side, 1);
  }
  if (power_.active()) {
    power_.restore(transaction.rank);
  }
  if (layout_.drained) {
    drain_.count_waiting(transaction.rank, transaction.bank, side, 1);
  }
}

}  // namespace hmsim
