// SPDX-License-Identifier: BSD-3-Clause
// Timing rules as data: after `preceding`, `following` is legal `latency` cycles later within the
// scope. A reviewer can hold the tables in timing_rules.cc and dram/standards against the standard.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/parameters.h"

namespace hmsim {

// Commands that the timing engine knows. The NVDIMM is one more rank: its data bursts
// (nvdimm_read, nvdimm_write) share the data bus, and nothing else binds it.
enum class Command : std::uint8_t {
  activate,
  precharge,
  read,
  write,
  refresh,
  refresh_same_bank,  // DDR5's REFsb: the bank of one number in every bank group; REFpb
  nvdimm_read,
  nvdimm_write,
  power_down_enter,  // of a rank, as the next three
  power_down_exit,
  self_refresh_enter,
  self_refresh_exit,
  last = self_refresh_exit
};

inline constexpr int kCommands = 12;

constexpr bool reserves_data_bus(Command command) {
  return command == Command::read || command == Command::write || command == Command::nvdimm_read ||
         command == Command::nvdimm_write;
}

constexpr bool is_nvdimm(Command command) {
  return command == Command::nvdimm_read || command == Command::nvdimm_write;
}

enum class Scope : std::uint8_t {
  bank,         // the same bank
  same_bank,    // a bank of the same number in the rank: what is refreshed with it
  group,        // any bank of the same bank group
  rank,         // any bank of the same rank
  other_rank,   // any other rank of the channel (the NVDIMM is one)
  other_stack,  // any bank of the same rank in another stack of dies (HBM3's stack id)
};

struct TimingRule {
  Command preceding;
  Command following;
  Scope scope;
  std::int64_t latency;  // cycles; <= 0: no constraint
  int window = 1;        // counts from the window-th last `preceding` (four activates: tFAW)
};

// What standards are made of.
namespace rules {

std::vector<TimingRule> joined(const std::vector<std::vector<TimingRule>>& parts);

// One bank: alike in all standards.
std::vector<TimingRule> of_bank(const DramParameters& dram);

// Activates of a rank, and its column commands in one direction.
std::vector<TimingRule> of_rank(const DramTiming& timing);

// Distances that are longer within a bank group. `write_spacing`: cycles from write to write.
std::vector<TimingRule> of_group(const DramTiming& timing, std::int64_t write_spacing);

std::vector<TimingRule> of_all_bank_refresh(const DramTiming& timing);

// At most 16 refreshes of a rank within 2 x tREFI (DDR3 section 4.13, DDR4 section 4.26). No rule
// if every refresh is made when it is due, because it could not bind.
std::vector<TimingRule> of_moved_refreshes(const DramParameters& dram);

// JESD79-5B section 4.13, REFsb: the refreshed banks take part as in a refresh of the rank; others
// go on, but for a distance to their activates.
// `apart`: from one to the next of a rank.
std::vector<TimingRule> of_same_bank_refresh(const DramTiming& timing, std::int64_t apart);

// The data bus: bursts follow one another with a gap of tRTRS when its driver changes, that is with
// the rank or with the direction. The NVDIMM is bound by nothing else.
std::vector<TimingRule> of_bus(const DramTiming& timing);
std::vector<TimingRule> of_direction(
    const DramTiming& timing);  // of these, read to write of a rank

// Power-down and self-refresh, as far as the parameters ask for them.
std::vector<TimingRule> of_power(const DramParameters& dram);

}  // namespace rules

}  // namespace hmsim
