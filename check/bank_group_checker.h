// SPDX-License-Identifier: BSD-3-Clause
// Rules that JESD79-4B adds to DDR3, and JESD79-5B to both: longer spacings between commands to one
// bank group.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker, whose tCCD, tRRD and tWTR are DDR4's tCCD_S, tRRD_S
// and tWTR_S. Reports nothing for parts without bank groups.
class BankGroupChecker {
 public:
  // `violations` must outlive the checker.
  BankGroupChecker(const DramParameters& dram, ViolationLog& violations)
      : t_(dram.timing),
        groups_per_rank_(dram.organisation.groups),
        banks_per_group_(dram.organisation.banks_per_group()),
        columns_(dram.is("hbm3") ? 2 * t_.tccd_l : t_.tccd_l),
        read_(read_of(dram)),
        write_(write_of(dram)),
        writes_apart_(dram.is("ddr5")),
        violations_(violations),
        groups_(static_cast<std::size_t>(dram.ranks * dram.organisation.groups)) {}

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
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
      violations_.require("tCCD_L", record, {C::read, group.read}, columns_);
      violations_.require("tWTR_L", record, {C::write, group.write}, write_ + t_.twtr_l);
      group.read = now;
    } else if (record.command == C::write) {
      violations_.require("tCCD_L", record, {C::write, group.write}, columns_);
      violations_.require("tRTRS", record, {C::read, group.read}, read_);
      if (writes_apart_) {
        violations_.require("tCCD_L_WR", record, {C::write, group.write}, t_.tccd_l_wr);
      }
      group.write = now;
    }
  }

  void serialize(Archive& archive) { archive.fixed(groups_); }

 private:
  // Returns the cycles from a write to the end of its data. For LPDDR5, JESD209-5 counts BL/n_max
  // cycles of data, which equals tCCD_L.
  static std::int64_t write_of(const DramParameters& dram) {
    const DramTiming& t = dram.timing;
    const std::int64_t line = dram.is("hbm3") ? t.burst + t.burst_gap : t.burst;
    return t.cwl + (dram.is("lpddr5") ? t.tccd_l : line);
  }

  // Returns the cycles from a read to a write. JESD209-5: as between groups, but with BL/n_max. In
  // other standards the data bus rules suffice.
  static std::int64_t read_of(const DramParameters& dram) {
    const DramTiming& t = dram.timing;
    return dram.is("lpddr5") ? t.cl + t.tccd_l + t.trtrs - t.cwl : 0;
  }

  struct Group {
    std::int64_t activate = kLongPast;  // cycle of the last one of each kind
    std::int64_t read = kLongPast;
    std::int64_t write = kLongPast;
    void serialize(Archive& archive) { archive(activate, read, write); }
  };

  const DramTiming t_;
  const std::int64_t groups_per_rank_;
  const std::int64_t banks_per_group_;
  const std::int64_t columns_;  // from a line to the next, whose reads (writes) are tCCD_L apart
  const std::int64_t read_;     // from a read to a write in the group; 0: no rule
  const std::int64_t write_;    // from a write to the cycle that tWTR_L counts from
  const bool writes_apart_;     // DDR5: writes are tCCD_L_WR apart
  ViolationLog& violations_;
  std::vector<Group> groups_;
};

}  // namespace hmsim
