// SPDX-License-Identifier: BSD-3-Clause
// Rules specific to JESD238: a bus for reads and writes, of which each line takes two, tCCDL apart;
// a bus for all other commands; and tCCDR between reads, or writes, of two stack ids.
#pragma once

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
  StackChecker(const DramParameters& dram, ViolationLog& violations);

  static bool applies_to(const DramParameters& dram) { return dram.is("hbm3"); }

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) {
    archive.fixed(stacks_);
    archive(columns_, next_, row_.command, row_.cycle);
    archive.check_index(next_, columns_.size(), "invalid column command");
  }

 private:
  struct Stack {
    std::int64_t read = kLongPast;  // cycle of the last line's second command
    std::int64_t write = kLongPast;
    void serialize(Archive& archive) { archive(read, write); }
  };

  void check_column(const CommandRecord& record);
  void check_slot(const CommandRecord& record, std::int64_t cycle);

  const bool hbm3_;
  const DramTiming t_;
  const std::int64_t stacks_per_rank_;
  const std::int64_t banks_per_stack_;
  ViolationLog& violations_;
  std::vector<Stack> stacks_;
  // Cycles of recent commands on the column bus, unordered, the oldest at `next_`.
  std::array<std::int64_t, 32> columns_;
  std::size_t next_ = 0;
  EarlierCommand row_{ChannelCommand::precharge, kLongPast};  // last command on the row bus
};

}  // namespace hmsim
