// SPDX-License-Identifier: BSD-3-Clause
// Checks precharge spacing within a rank and refreshes of single banks: JESD79-5B's additions to
// DDR4 other than bank groups, and JESD209-5's variant of them.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checker of one channel, used together with Ddr3Checker and BankGroupChecker. Reports nothing for
// other families' parts.
class BankRefreshChecker {
 public:
  // `violations` must outlive the checker.
  BankRefreshChecker(const DramParameters& dram, ViolationLog& violations);

  // Returns the distance between banks that one same-bank (per-bank) refresh covers, which is also
  // the number of such refreshes per round.
  static std::int64_t refreshed_apart(const DramParameters& dram);

  // Checks a DRAM command. Commands arrive in cycle order; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  struct Bank {
    bool open = false;
    std::int64_t activate = kLongPast;  // cycle of the last command of each kind
    std::int64_t precharge = kLongPast;
    std::int64_t refresh = kLongPast;
    void serialize(Archive& archive) { archive(open, activate, precharge, refresh); }
  };
  struct Rank {
    std::int64_t activate = kLongPast;
    std::int64_t precharge = kLongPast;
    std::int64_t refresh = kLongPast;
    void serialize(Archive& archive) { archive(activate, precharge, refresh); }
  };

  void check_activate(const CommandRecord& record, Bank& bank, Rank& rank);
  void check_precharge(const CommandRecord& record, Bank& bank, Rank& rank);
  void check_refresh(const CommandRecord& record, Rank& rank);

  const bool ddr5_;
  const bool known_;
  const DramTiming t_;
  const std::int64_t banks_per_rank_;
  const std::int64_t apart_;  // distance of banks that are refreshed together
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
