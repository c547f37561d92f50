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
  BankGroupChecker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(groups_); }

 private:
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
