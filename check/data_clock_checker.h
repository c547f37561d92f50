// SPDX-License-Identifier: BSD-3-Clause
// What JESD209-5 adds for its data clock, WCK, which runs for bursts only: it is started by a CAS
// command with WS_RD or WS_WR right before a read or write, and runs on until tWCKPST after data.
// The ranks of a channel share its wires, so that it runs for one of them at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// For one channel, beside Ddr3Checker and BankGroupChecker. Finds nothing in other families' parts.
class DataClockChecker {
 public:
  // `violations` must outlive the checker.
  DataClockChecker(const DramParameters& dram, ViolationLog& violations);

  // A DRAM command, in order of cycles; its rank and bank exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  struct Rank {
    std::int64_t start = kLongPast;    // cycle of the last CAS; kLongPast again once it is used
    std::int64_t runs_to = kLongPast;  // a read or write in this cycle finds it running
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
