// SPDX-License-Identifier: BSD-3-Clause
// What JESD79-5B adds to the rules of DDR4 but for bank groups, and JESD209-5 in its way:
// precharges of a rank keep a distance, and refreshes of some of its banks.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// For one channel, beside Ddr3Checker and BankGroupChecker. Finds nothing in other families' parts.
class BankRefreshChecker {
 public:
  // `violations` must outlive the checker.
  BankRefreshChecker(const DramParameters& dram, ViolationLog& violations);

  // From one bank to the next that a same-bank (per-bank) refresh is of: so many turns there are.
  static std::int64_t refreshed_apart(const DramParameters& dram);

  // A DRAM command, in order of cycles; its rank and bank exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  struct Bank {
    bool open = false;
    std::int64_t activate = kLongPast;  // cycles of the last one of each kind
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
  const std::int64_t apart_;  // banks that are refreshed together
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
