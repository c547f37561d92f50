// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/page_control.h"

#include <utility>

namespace hmsim {

PageControl::PageControl(std::unique_ptr<PagePolicy> policy, const TimingModel& model,
                         DramBanks& banks, std::size_t bank_count, Tick clock_period)
    : policy_(std::move(policy)),
      model_(model),
      rows_(banks),
      period_(clock_period),
      active_(!policy_->keeps_rows_open()),
      banks_(bank_count) {}

void PageControl::accessed(std::int32_t index, const RequestView& request, Cycle edge) {
  Bank& bank = at(index);
  const Tick now(edge.value() * period_.value());
  const PageDecision decision = policy_->decide(
      {request.rank, request.bank, request.row, request.source, ++bank.accesses, now});
  bank.close_from = decision.close_at == kNever
                        ? kNeverCycle
                        : later(edge, Cycle((decision.close_at + period_ - Tick(1)) / period_));
  if (bank.close_from == kNeverCycle) {
    return;
  }
  if (decision.refuse_hits) {
    rows_.close_to_hits(index, edge);
  }
  if (!bank.listed) {
    bank.listed = true;
    listed_.push_back(index);
  }
  next_ = earlier(next_, bank.close_from);
}

std::int32_t PageControl::closing(std::size_t side, Cycle edge) {
  if (edge < next_) {
    return -1;
  }
  std::int32_t chosen = -1;
  next_ = kNeverCycle;
  std::size_t kept = 0;
  for (const std::int32_t index : listed_) {
    Bank& bank = at(index);
    if (edge >= bank.close_from && bank.waiting[side] > 0) {
      bank.close_from = kNeverCycle;  // the waiting transactions will use the row or close it
    }
    if (bank.close_from == kNeverCycle) {
      bank.listed = false;
      continue;
    }
    listed_[kept++] = index;
    const Cycle from = later(bank.close_from, model_.earliest(Command::precharge, index));
    if (from <= edge && (chosen < 0 || bank.close_from < at(chosen).close_from)) {
      chosen = index;
    }
    next_ = earlier(next_, later(from, edge + Cycle(1)));
  }
  listed_.resize(kept);
  return chosen;
}

void PageControl::serialize(Archive& archive) {
  archive.section("page control");
  archive.fixed(banks_);
  archive(listed_, next_);
  archive.check_indices(listed_, banks_.size(), "invalid row to close");
  for (const std::int32_t bank : listed_) {
    at(bank).listed = true;
  }
  policy_->serialize(archive);
}

}  // namespace hmsim
