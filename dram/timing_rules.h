// SPDX-License-Identifier: BSD-3-Clause
// Timing rules as data: after `preceding`, `following` is legal `latency` cycles later within the
// scope. A reviewer can hold the table in timing_rules.cc against the standard.
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
  refresh_same_bank,  // DDR5's REFsb: the bank of one number in every bank group
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
  bank,        // the same bank
  same_bank,   // the bank of the same number in any bank group of the rank
  group,       // any bank of the same bank group
  rank,        // any bank of the same rank
  other_rank,  // any other rank of the channel (the NVDIMM is one)
};

struct TimingRule {
  Command preceding;
  Command following;
  Scope scope;
  std::int64_t latency;  // cycles; <= 0: no constraint
  int window = 1;        // counts from the window-th last `preceding` (four activates: tFAW)
};

std::vector<TimingRule> ddr3_rules(const DramParameters& dram);
std::vector<TimingRule> ddr4_rules(const DramParameters& dram);
std::vector<TimingRule> ddr5_rules(const DramParameters& dram);

}  // namespace hmsim
