// SPDX-License-Identifier: BSD-3-Clause
#include "check/ddr3_checker.h"

namespace hmsim {

namespace {

using C = ChannelCommand;

// Returns the cycles of a line's data. JESD209-5 and JESD238 move a line in two halves with a gap.
std::int64_t line_of(const DramParameters& dram) {
  const bool halves = dram.is("lpddr5") || dram.is("hbm3");
  return dram.timing.burst + (halves ? dram.timing.burst_gap : 0);
}

// Returns the cycles from a logged activate to its end, from which tRCD and tRAS count. LPDDR5's
// ACT-2 follows ACT-1 in the next cycle. In HBM3 (JESD238), ACT ends within the second cycle.
std::int64_t activate_delay_of(const DramParameters& dram) {
  return dram.is("lpddr5") || dram.is("hbm3") ? 1 : 0;
}

}  // namespace

Ddr3Checker::Ddr3Checker(const DramParameters& dram, ViolationLog& violations)
    : t_(dram.timing),
      line_(line_of(dram)),
      activate_delay_(activate_delay_of(dram)),
      last_column_(dram.is("hbm3") ? t_.tccd_l : 0),
      precharge_delay_(dram.precharge_delay),
      banks_per_rank_(dram.organisation.banks),
      violations_(violations),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      ranks_(static_cast<std::size_t>(dram.ranks)) {}

void Ddr3Checker::check(const CommandRecord& record) {
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

// Section "ACTIVE Command": an activate opens a row, and the bank must be idle.
void Ddr3Checker::check_activate(const CommandRecord& record, Bank& bank, Rank& rank) {
  if (bank.row != kNoOpenRow) {
    violations_.add("bank is open", record, kNoOpenRow, bank.row);
  }
  check_trc(record, bank);
  check_trp(record, bank);
  check_trfc(record, rank);
  check_trrd(record, rank);
  check_tfaw(record, rank);
  bank.row = record.row;
  bank.activate = rank.activate = record.cycle.value();
}

// Section "PRECHARGE Command" permits precharging an idle bank. This checker does not, because a
// controller has no reason to send one.
void Ddr3Checker::check_precharge(const CommandRecord& record, Bank& bank, const Rank& rank) {
  if (bank.row == kNoOpenRow) {
    violations_.add("bank is closed", record, 0, kNoOpenRow);
  }
  check_tras(record, bank);
  check_read_to_precharge(record, bank);
  check_write_to_precharge(record, bank);
  check_trfc(record, rank);
  bank.row = kNoOpenRow;
  bank.precharge = record.cycle.value();
}

void Ddr3Checker::check_column(const CommandRecord& record, Bank& bank, Rank& rank) {
  check_row(record, bank);
  check_trcd(record, bank);
  check_tccd(record, rank);
  if (record.command == C::read) {
    check_twtr(record, rank);
    bank.read = rank.read = record.cycle.value();
  } else {
    bank.write = rank.write = record.cycle.value();
  }
}

// Checks a refresh of all banks of a rank. "Refresh Command" requires that all banks are precharged
// and have been idle for tRP. tRC applies from an activate to an activate or refresh.
void Ddr3Checker::check_refresh(const CommandRecord& record, Rank& rank) {
  for (std::int64_t i = 0; i < banks_per_rank_; ++i) {
    const Bank& bank = banks_[first_bank(record.rank) + static_cast<std::size_t>(i)];
    if (bank.row != kNoOpenRow) {
      violations_.add("refresh of open bank", record, kNoOpenRow, bank.row);
    }
    check_trp(record, bank);
    check_trc(record, bank);
  }
  check_trfc(record, rank);
  rank.refresh = record.cycle.value();
}

// Activate to activate or refresh, same bank.
void Ddr3Checker::check_trc(const CommandRecord& record, const Bank& bank) {
  violations_.require("tRC", record, {C::activate, bank.activate}, t_.trc);
}

// Precharge to activate, same bank; precharge of any bank to refresh.
void Ddr3Checker::check_trp(const CommandRecord& record, const Bank& bank) {
  violations_.require("tRP", record, {C::precharge, bank.precharge}, t_.trp);
}

// Activate to activate, different banks of a rank.
void Ddr3Checker::check_trrd(const CommandRecord& record, const Rank& rank) {
  violations_.require("tRRD", record, {C::activate, rank.activate}, t_.trrd);
}

// No window of tFAW holds more than four activates of a rank.
void Ddr3Checker::check_tfaw(const CommandRecord& record, Rank& rank) {
  std::int64_t& oldest = rank.activates[rank.oldest];
  violations_.require("tFAW", record, {C::activate, oldest}, t_.tfaw);
  oldest = record.cycle.value();
  rank.oldest = (rank.oldest + 1) % rank.activates.size();
}

// Activate to precharge.
void Ddr3Checker::check_tras(const CommandRecord& record, const Bank& bank) {
  violations_.require("tRAS", record, {C::activate, bank.activate}, activate_delay_ + t_.tras);
}

// "Burst Read Operation followed by a Precharge": tRTP (additive latency 0). The paper uses 18.75
// ns, the read latency plus half the burst length.
void Ddr3Checker::check_read_to_precharge(const CommandRecord& record, const Bank& bank) {
  if (precharge_delay_ == PrechargeDelay::jedec) {
    violations_.require("tRTP", record, {C::read, bank.read}, last_column_ + t_.trtp);
  } else {
    violations_.require("precharge_delay", record, {C::read, bank.read}, t_.cl + line_);
  }
}

// "WRITE Operation": tWR from the end of the data, which start CWL after the command. The paper
// uses the same delay as for reads.
void Ddr3Checker::check_write_to_precharge(const CommandRecord& record, const Bank& bank) {
  if (precharge_delay_ == PrechargeDelay::paper) {
    violations_.require("precharge_delay", record, {C::write, bank.write}, t_.cl + line_);
  } else {
    violations_.require("tWR", record, {C::write, bank.write}, t_.cwl + line_ + t_.twr);
  }
}

// A column command needs its row to be open.
void Ddr3Checker::check_row(const CommandRecord& record, const Bank& bank) {
  if (bank.row == kNoOpenRow || bank.row != record.row) {
    violations_.add("row", record, record.row, bank.row);
  }
}

// Activate to the internal read or write, same bank.
void Ddr3Checker::check_trcd(const CommandRecord& record, const Bank& bank) {
  violations_.require("tRCD", record, {C::activate, bank.activate}, activate_delay_ + t_.trcd);
}

// Column command to column command, same rank.
void Ddr3Checker::check_tccd(const CommandRecord& record, const Rank& rank) {
  violations_.require("tCCD", record, {C::read, rank.read}, t_.tccd);
  violations_.require("tCCD", record, {C::write, rank.write}, t_.tccd);
}

// "WRITE Operation": end of the write data to a read command, same rank.
void Ddr3Checker::check_twtr(const CommandRecord& record, const Rank& rank) {
  violations_.require("tWTR", record, {C::write, rank.write}, t_.cwl + line_ + t_.twtr);
}

// After a refresh a rank takes no command for tRFC.
void Ddr3Checker::check_trfc(const CommandRecord& record, const Rank& rank) {
  violations_.require("tRFC", record, {C::refresh, rank.refresh}, t_.trfc);
}

}  // namespace hmsim
