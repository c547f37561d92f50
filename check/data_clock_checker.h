// SPDX-License-Identifier: BSD-3-Clause
// Rules of JESD209-5 for its data clock, WCK, which runs only for bursts. A CAS command with WS_RD
// or WS_WR starts it right before a read or write, and it runs until tWCKPST after the data. The
// ranks of a channel share its wires, so it runs for one rank at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker and BankGroupChecker. Reports nothing for parts of
// other families.
class DataClockChecker {
 public:
  // `violations` must outlive the checker.
  DataClockChecker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  struct Rank {
    std::int64_t start = kLongPast;    // cycle of the last unused CAS, or kLongPast
    std::int64_t runs_to = kLongPast;  // last cycle in which a read or write finds it running
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
