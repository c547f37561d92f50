// SPDX-License-Identifier: BSD-3-Clause
// Rules specific to JESD238: a bus for reads and writes, of which each line takes two, tCCDL apart;
// a bus for all other commands; tCCDR between reads of two stack ids; and REFpb in tFAW.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker and BankGroupChecker. Reports nothing for parts of
// other families.
class StackChecker {
 public:
  // `violations` must outlive the checker.
  StackChecker(const DramParameters& dram, ViolationLog& violations)
      : hbm3_(applies_to(dram)),
        t_(dram.timing),
        stacks_per_rank_(dram.organisation.stacks),
        banks_per_stack_(dram.organisation.banks / dram.organisation.stacks),
        violations_(violations),
        reads_(static_cast<std::size_t>(dram.ranks * dram.organisation.stacks), kLongPast),
        openings_(static_cast<std::size_t>(dram.ranks)) {
    columns_.fill(kLongPast);
  }

  static bool applies_to(const DramParameters& dram) { return dram.is("hbm3"); }

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    if (!hbm3_) {
      return;
    }
    if (record.command == C::read || record.command == C::write) {
      check_column(record);
    } else {
      // An ACT takes one and a half cycles.
      violations_.require("row bus", record, row_, row_.command == C::activate ? 2 : 1);
      row_ = {record.command, record.cycle.value()};
      if (record.command == C::activate || record.command == C::refresh_same_bank) {
        check_window(record, openings_[static_cast<std::size_t>(record.rank)]);
      }
    }
  }

  void serialize(Archive& archive) {
    archive.fixed(reads_, openings_);
    archive(columns_, next_, row_.command, row_.cycle);
    archive.check_index(next_, columns_.size(), "invalid column command");
  }

 private:
  using C = ChannelCommand;

  struct Openings {  // the last activates and REFpb of a pseudo-channel, the oldest first
    std::array<EarlierCommand, 4> commands{};
    Openings() { commands.fill({C::activate, kLongPast}); }
    void serialize(Archive& archive) {
      for (EarlierCommand& each : commands) {
        archive(each.command, each.cycle);
      }
    }
  };

  // No window of tFAW holds more than four activates and REFpb. An activate counts at its end.
  void check_window(const CommandRecord& record, Openings& last) {
    const auto to_end = [](C command) { return command == C::activate ? 1 : 0; };
    EarlierCommand& oldest = last.commands.front();
    violations_.require("tFAW", record, oldest,
                        t_.tfaw + to_end(oldest.command) - to_end(record.command));
    oldest = {record.command, record.cycle.value()};
    std::rotate(last.commands.begin(), last.commands.begin() + 1, last.commands.end());
  }

  void check_column(const CommandRecord& record) {
    const std::int64_t now = record.cycle.value();
    const std::int64_t own = record.rank * stacks_per_rank_ + record.bank / banks_per_stack_;
    const std::int64_t first = record.rank * stacks_per_rank_;
    for (std::int64_t i = first; i < first + stacks_per_rank_; ++i) {
      if (i != own && record.command == C::read) {
        violations_.require("tCCDR", record, {C::read, reads_[static_cast<std::size_t>(i)]},
                            t_.tccd_l + t_.tccdr);
      }
    }
    check_slot(record, now);
    check_slot(record, now + t_.tccd_l);
    if (record.command == C::read) {
      reads_[static_cast<std::size_t>(own)] = now;
    }
  }

  void check_slot(const CommandRecord& record, std::int64_t cycle) {
    if (std::find(columns_.begin(), columns_.end(), cycle) != columns_.end()) {
      violations_.add("column bus", record, 1, 2);
    }
    columns_[next_] = cycle;
    next_ = (next_ + 1) % columns_.size();
  }

  const bool hbm3_;
  const DramTiming t_;
  const std::int64_t stacks_per_rank_;
  const std::int64_t banks_per_stack_;
  ViolationLog& violations_;
  std::vector<std::int64_t> reads_;  // by stack: when the last line was read
  std::vector<Openings> openings_;   // by pseudo-channel
  // Cycles of recent commands on the column bus, unordered, the oldest at `next_`.
  std::array<std::int64_t, 32> columns_;
  std::size_t next_ = 0;
  EarlierCommand row_{ChannelCommand::precharge, kLongPast};  // last command on the row bus
};

}  // namespace hmsim
