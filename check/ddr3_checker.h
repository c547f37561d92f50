// SPDX-License-Identifier: BSD-3-Clause
// The DDR3 device rules of JESD79-3F for one channel, one function per command. The checker stores
// the last cycle of each command per bank and rank. It shares nothing with the timing engine but
// the parameters. Refresh counts are checked by RefreshChecker, rules of later standards by their
// own checkers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/half_line_checker.h"
#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class Ddr3Checker {
 public:
  // `violations` must outlive the checker.
  Ddr3Checker(const DramParameters& dram, ViolationLog& violations)
      : t_(dram.timing),
        line_(t_.burst + (HalfLineChecker::applies_to(dram) ? t_.burst_gap : 0)),
        activate_delay_(dram.is("lpddr5") || dram.is("hbm3") ? 1 : 0),
        last_column_(dram.is("hbm3") ? t_.tccd_l : 0),
        precharge_delay_(dram.precharge_delay),
        banks_per_rank_(dram.organisation.banks),
        violations_(violations),
        banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
        ranks_(static_cast<std::size_t>(dram.ranks)) {}

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    Rank& rank = rank_of(record);
    if (record.command == C::refresh || record.command == C::refresh_management) {
      check_refresh(record, rank);
      return;
    }
    if (record.command > C::refresh) {
      return;  // covered by other checkers
    }
    Bank& bank = banks_[first_bank(record.rank) + static_cast<std::size_t>(record.bank)];
    if (record.command == C::activate) {
      check_activate(record, bank, rank);
    } else if (record.command == C::precharge) {
      check_precharge(record, bank, rank);
    } else {
      check_column(record, bank, rank);
    }
  }

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  using C = ChannelCommand;

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

  // Section "ACTIVE Command": an activate opens a row, and the bank must be idle. tRC and tRP apply
  // to one bank, tRRD to different banks of a rank. No window of tFAW holds more than four
  // activates of a rank.
  void check_activate(const CommandRecord& record, Bank& bank, Rank& rank) {
    if (bank.row != kNoOpenRow) {
      violations_.add("bank is open", record, kNoOpenRow, bank.row);
    }
    violations_.require("tRC", record, {C::activate, bank.activate}, t_.trc);
    violations_.require("tRP", record, {C::precharge, bank.precharge}, t_.trp - activate_delay_);
    check_trfc(record, rank, t_.trfc - activate_delay_);
    violations_.require("tRRD", record, {C::activate, rank.activate}, t_.trrd);
    std::int64_t& oldest = rank.activates[rank.oldest];
    violations_.require("tFAW", record, {C::activate, oldest}, t_.tfaw);
    oldest = record.cycle.value();
    rank.oldest = (rank.oldest + 1) % rank.activates.size();
    bank.row = record.row;
    bank.activate = rank.activate = record.cycle.value();
  }

  // Section "PRECHARGE Command" permits precharging an idle bank. This checker does not, because a
  // controller has no reason to send one. "Burst Read Operation followed by a Precharge": tRTP
  // (additive latency 0). "WRITE Operation": tWR from the end of the data, which start CWL after
  // the command. The paper uses 18.75 ns after both, the read latency plus half the burst length.
  void check_precharge(const CommandRecord& record, Bank& bank, const Rank& rank) {
    if (bank.row == kNoOpenRow) {
      violations_.add("bank is closed", record, 0, kNoOpenRow);
    }
    violations_.require("tRAS", record, {C::activate, bank.activate}, activate_delay_ + t_.tras);
    if (precharge_delay_ == PrechargeDelay::jedec) {
      violations_.require("tRTP", record, {C::read, bank.read}, last_column_ + t_.trtp);
      violations_.require("tWR", record, {C::write, bank.write}, t_.cwl + line_ + t_.twr);
    } else {
      violations_.require("precharge_delay", record, {C::read, bank.read}, t_.cl + line_);
      violations_.require("precharge_delay", record, {C::write, bank.write}, t_.cl + line_);
    }
    check_trfc(record, rank, t_.trfc);
    bank.row = kNoOpenRow;
    bank.precharge = record.cycle.value();
  }

  // A column command needs its row to be open, for tRCD. tCCD applies to column commands of a rank.
  // "WRITE Operation": tWTR is from the end of the write data to a read of the rank.
  void check_column(const CommandRecord& record, Bank& bank, Rank& rank) {
    if (bank.row == kNoOpenRow || bank.row != record.row) {
      violations_.add("row", record, record.row, bank.row);
    }
    violations_.require("tRCD", record, {C::activate, bank.activate}, activate_delay_ + t_.trcd);
    violations_.require("tCCD", record, {C::read, rank.read}, t_.tccd);
    violations_.require("tCCD", record, {C::write, rank.write}, t_.tccd);
    if (record.command == C::read) {
      violations_.require("tWTR", record, {C::write, rank.write}, t_.cwl + line_ + t_.twtr);
      bank.read = rank.read = record.cycle.value();
    } else {
      bank.write = rank.write = record.cycle.value();
    }
  }

  // Checks a refresh of all banks of a rank. "Refresh Command" requires that all banks are
  // precharged and have been idle for tRP. tRC applies from an activate to an activate or refresh.
  void check_refresh(const CommandRecord& record, Rank& rank) {
    for (std::int64_t i = 0; i < banks_per_rank_; ++i) {
      const Bank& bank = banks_[first_bank(record.rank) + static_cast<std::size_t>(i)];
      if (bank.row != kNoOpenRow) {
        violations_.add("refresh of open bank", record, kNoOpenRow, bank.row);
      }
      violations_.require("tRP", record, {C::precharge, bank.precharge}, t_.trp);
      violations_.require("tRC", record, {C::activate, bank.activate}, activate_delay_ + t_.trc);
    }
    check_trfc(record, rank, t_.trfc);
    rank.refresh = record.cycle.value();
  }

  // After a refresh a rank takes no command for tRFC; an activate may start so that it ends then.
  void check_trfc(const CommandRecord& record, const Rank& rank, std::int64_t cycles) {
    violations_.require("tRFC", record, {C::refresh, rank.refresh}, cycles);
  }

  Rank& rank_of(const CommandRecord& record) {
    return ranks_[static_cast<std::size_t>(record.rank)];
  }
  std::size_t first_bank(std::int64_t rank) const {
    return static_cast<std::size_t>(rank * banks_per_rank_);
  }

  const DramTiming t_;
  const std::int64_t line_;  // from a line's first beat to after its last
  // From a logged activate to its end, to and from which all times count. LPDDR5's ACT-2 follows
  // ACT-1 in the next cycle. In HBM3 (JESD238), ACT ends within the second cycle.
  const std::int64_t activate_delay_;
  const std::int64_t last_column_;  // from a line's first read to its last
  const PrechargeDelay precharge_delay_;
  const std::int64_t banks_per_rank_;
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
