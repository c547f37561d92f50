// SPDX-License-Identifier: BSD-3-Clause
// Checks JESD209-5's data clock, WCK, which runs only for bursts. A CAS command with WS_RD or WS_WR
// right before a read or write starts it, and it runs until tWCKPST after the data. The ranks of a
// channel share its wires, so it runs for one rank at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checker of one channel, used together with Ddr3Checker and BankGroupChecker. Reports nothing for
// other families' parts.
class DataClockChecker {
 public:
  // `violations` must outlive the checker.
  DataClockChecker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Commands arrive in cycle order; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  struct Rank {
    std::int64_t start = kLongPast;    // cycle of the last unused CAS, or kLongPast
    std::int64_t runs_to = kLongPast;  // last cycle of a read or write for which it still runs
    void serialize(Archive& archive) { archive(start, runs_to); }
  };

  void check_start(const CommandRecord& record, Rank& rank);
  void check_column(const CommandRecord& record, Rank& rank);

  const bool lpddr5_;
  const DramTiming t_;
  ViolationLog& violations_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
