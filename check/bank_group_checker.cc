// SPDX-License-Identifier: BSD-3-Clause
#include "check/bank_group_checker.h"

namespace hmsim {

BankGroupChecker::BankGroupChecker(const DramParameters& dram, ViolationLog& violations)
    : t_(dram.timing),
      groups_per_rank_(dram.organisation.groups),
      banks_per_group_(dram.organisation.banks_per_group()),
      writes_apart_(dram.is("ddr5")),
      violations_(violations),
      groups_(static_cast<std::size_t>(dram.ranks * dram.organisation.groups)) {}

void BankGroupChecker::check(const CommandRecord& record) {
  using C = ChannelCommand;
  if (groups_per_rank_ == 1 || record.bank < 0) {
    return;
  }
  const std::int64_t now = record.cycle.value();
  Group& group = groups_[static_cast<std::size_t>(record.rank * groups_per_rank_ +
                                                  record.bank / banks_per_group_)];
  if (record.command == C::activate) {
    violations_.require("tRRD_L", record, {C::activate, group.activate}, t_.trrd_l);
    group.activate = now;
  } else if (record.command == C::read) {
    violations_.require("tCCD_L", record, {C::read, group.read}, t_.tccd_l);
    violations_.require("tWTR_L", record, {C::write, group.write}, t_.cwl + t_.burst + t_.twtr_l);
    group.read = now;
  } else if (record.command == C::write) {
    violations_.require("tCCD_L", record, {C::write, group.write}, t_.tccd_l);
    if (writes_apart_) {
      violations_.require("tCCD_L_WR", record, {C::write, group.write}, t_.tccd_l_wr);
    }
    group.write = now;
  }
}

}  // namespace hmsim
