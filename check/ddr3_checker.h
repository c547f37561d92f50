// SPDX-License-Identifier: BSD-3-Clause
// The DDR3 device rules of JESD79-3F for one channel, one function per rule. The checker stores the
// last cycle of each command per bank and rank. It shares nothing with the timing engine but the
// parameters. Refresh counts are checked by RefreshChecker, rules of later standards by their own
// checkers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class Ddr3Checker {
 public:
  // `violations` must outlive the checker.
  Ddr3Checker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  struct Bank {
    std::int64_t row = kNoOpenRow;
    std::int64_t activate = kLongPast;  // cycle of the last one of each kind
    std::int64_t precharge = kLongPast;
    std::int64_t read = kLongPast;
    std::int64_t write = kLongPast;
    void serialize(Archive& archive) { archive(row, activate, precharge, read, write); }
  };
  struct Rank {
    // Cycles of the last four, the oldest at index `oldest`.
    std::array<std::int64_t, 4> activates{kLongPast, kLongPast, kLongPast, kLongPast};
    std::size_t oldest = 0;
    std::int64_t activate = kLongPast;
    std::int64_t read = kLongPast;
    std::int64_t write = kLongPast;
    std::int64_t refresh = kLongPast;
    void serialize(Archive& archive) {
      archive(activates, oldest, activate, read, write, refresh);
      archive.check_index(oldest, activates.size(), "invalid activate");
    }
  };
  static constexpr std::int64_t kNoOpenRow = -1;

  void check_activate(const CommandRecord& record, Bank& bank, Rank& rank);
  void check_precharge(const CommandRecord& record, Bank& bank, const Rank& rank);
  void check_column(const CommandRecord& record, Bank& bank, Rank& rank);
  void check_refresh(const CommandRecord& record, Rank& rank);

  void check_trc(const CommandRecord& record, const Bank& bank);
  void check_trp(const CommandRecord& record, const Bank& bank);
  void check_trrd(const CommandRecord& record, const Rank& rank);
  void check_tfaw(const CommandRecord& record, Rank& rank);
  void check_tras(const CommandRecord& record, const Bank& bank);
  void check_read_to_precharge(const CommandRecord& record, const Bank& bank);
  void check_write_to_precharge(const CommandRecord& record, const Bank& bank);
  void check_row(const CommandRecord& record, const Bank& bank);
  void check_trcd(const CommandRecord& record, const Bank& bank);
  void check_tccd(const CommandRecord& record, const Rank& rank);
  void check_twtr(const CommandRecord& record, const Rank& rank);
  void check_trfc(const CommandRecord& record, const Rank& rank);

  Rank& rank_of(const CommandRecord& record) {
    return ranks_[static_cast<std::size_t>(record.rank)];
  }
  std::size_t first_bank(std::int64_t rank) const {
    return static_cast<std::size_t>(rank * banks_per_rank_);
  }

  const DramTiming t_;
  const std::int64_t line_;  // from a line's first beat to after its last
  const std::int64_t
      activate_delay_;              // from an activate to the cycle that tRCD and tRAS count from
  const std::int64_t last_column_;  // from a line's first read to its last
  const PrechargeDelay precharge_delay_;
  const std::int64_t banks_per_rank_;
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
