// SPDX-License-Identifier: BSD-3-Clause
// Checks the longer command spacings within one bank group: JESD79-4B's additions to DDR3, and
// JESD79-5B's additions to both.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checker of one channel, used together with Ddr3Checker, whose tCCD, tRRD and tWTR are DDR4's
// tCCD_S, tRRD_S and tWTR_S. Reports nothing for parts without bank groups.
class BankGroupChecker {
 public:
  // `violations` must outlive the checker.
  BankGroupChecker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Commands arrive in cycle order; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(groups_); }

 private:
  struct Group {
    std::int64_t activate = kLongPast;  // cycle of the last command of each kind
    std::int64_t read = kLongPast;
    std::int64_t write = kLongPast;
    void serialize(Archive& archive) { archive(activate, read, write); }
  };

  const DramTiming t_;
  const std::int64_t groups_per_rank_;
  const std::int64_t banks_per_group_;
  const std::int64_t columns_;  // minimum from one line's read (write) to the next one's
  const std::int64_t read_;     // minimum from a read to a write of the group; 0: no rule
  const std::int64_t write_;    // from a write to the point from which tWTR_L counts
  const bool writes_apart_;     // DDR5: writes are tCCD_L_WR apart
  ViolationLog& violations_;
  std::vector<Group> groups_;
};

}  // namespace hmsim
