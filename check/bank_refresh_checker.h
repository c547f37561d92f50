// SPDX-License-Identifier: BSD-3-Clause
// Rules that JESD79-5B adds to DDR4, apart from bank groups, and their counterparts in JESD209-5:
// the spacing of precharges in a rank, and refreshes of some of its banks.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker and BankGroupChecker. Reports nothing for parts of
// other families.
class BankRefreshChecker {
 public:
  // `violations` must outlive the checker.
  BankRefreshChecker(const DramParameters& dram, ViolationLog& violations);

  // Returns the distance between banks that one same-bank (per-bank) refresh covers. It equals the
  // number of refreshes in a round.
  static std::int64_t same_bank_stride(const DramParameters& dram);

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  struct Bank {
    bool open = false;
    std::int64_t activate = kLongPast;  // cycle of the last one of each kind
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
  const std::int64_t apart_;  // distance between banks that are refreshed together
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
