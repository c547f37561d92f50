// SPDX-License-Identifier: BSD-3-Clause
#include "check/stack_checker.h"

#include <algorithm>

namespace hmsim {

namespace {

using C = ChannelCommand;

}  // namespace

StackChecker::StackChecker(const DramParameters& dram, ViolationLog& violations)
    : hbm3_(applies_to(dram)),
      t_(dram.timing),
      stacks_per_rank_(dram.organisation.stacks),
      banks_per_stack_(dram.organisation.banks / dram.organisation.stacks),
      violations_(violations),
      stacks_(static_cast<std::size_t>(dram.ranks * dram.organisation.stacks)) {
  columns_.fill(kLongPast);
}

void StackChecker::check(const CommandRecord& record) {
  if (!hbm3_) {
    return;
  }
  if (record.command == C::read || record.command == C::write) {
    check_column(record);
  } else {
    // An ACT takes one and a half cycles.
    violations_.require("row bus", record, row_, row_.command == C::activate ? 2 : 1);
    row_ = {record.command, record.cycle.value()};
  }
}

void StackChecker::check_column(const CommandRecord& record) {
  const std::int64_t now = record.cycle.value();
  const std::int64_t own = record.rank * stacks_per_rank_ + record.bank / banks_per_stack_;
  const std::int64_t first = record.rank * stacks_per_rank_;
  for (std::int64_t i = first; i < first + stacks_per_rank_; ++i) {
    const Stack& other = stacks_[static_cast<std::size_t>(i)];
    const bool read = record.command == C::read;
    if (i != own) {
      violations_.require("tCCDR", record,
                          {record.command, (read ? other.read : other.write) - t_.tccd_l},
                          t_.tccd_l + t_.tccdr);
    }
  }
  check_slot(record, now);
  check_slot(record, now + t_.tccd_l);
  Stack& stack = stacks_[static_cast<std::size_t>(own)];
  (record.command == C::read ? stack.read : stack.write) = now + t_.tccd_l;
}

void StackChecker::check_slot(const CommandRecord& record, std::int64_t cycle) {
  if (std::find(columns_.begin(), columns_.end(), cycle) != columns_.end()) {
    violations_.add("column bus", record, 1, 2);
  }
  columns_[next_] = cycle;
  next_ = (next_ + 1) % columns_.size();
}

}  // namespace hmsim
