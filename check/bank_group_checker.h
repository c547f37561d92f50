// SPDX-License-Identifier: BSD-3-Clause
// What JESD79-4B adds to the rules of DDR3, and JESD79-5B to both: longer spacings between commands
// to one bank group.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// For one channel, beside Ddr3Checker, whose tCCD, tRRD and tWTR are DDR4's tCCD_S, tRRD_S and
// tWTR_S. Finds nothing in parts without bank groups.
class BankGroupChecker {
 public:
  // `violations` must outlive the checker.
  BankGroupChecker(const DramParameters& dram, ViolationLog& violations);

  // A DRAM command, in order of cycles; its rank and bank exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(groups_); }

 private:
  struct Group {
    std::int64_t activate = kLongPast;  // cycles of the last one of each kind
    std::int64_t read = kLongPast;
    std::int64_t write = kLongPast;
    void serialize(Archive& archive) { archive(activate, read, write); }
  };

  const DramTiming t_;
  const std::int64_t groups_per_rank_;
  const std::int64_t banks_per_group_;
  const std::int64_t columns_;  // from a line to the next: its reads (writes) tCCD_L apart
  const std::int64_t read_;     // from a read to a write of the group; 0: no rule
  const std::int64_t write_;    // from a write to where tWTR_L counts from
  const bool writes_apart_;     // DDR5: by tCCD_L_WR
  ViolationLog& violations_;
  std::vector<Group> groups_;
};

}  // namespace hmsim
