// SPDX-License-Identifier: BSD-3-Clause
// Timing rules as data: after `preceding`, `following` is legal `latency` cycles later within the
// scope. The tables in timing_rules.cc and dram/standards can be checked against the standards.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/parameters.h"

namespace hmsim {

// Commands known to the timing engine. The NVDIMM is one more rank: its data bursts (nvdimm_read,
// nvdimm_write) share the data bus and obey no other rule.
enum class Command : std::uint8_t {
  activate,
  precharge,
  read,
  write,
  refresh,
  refresh_same_bank,  // DDR5's REFsb: banks of one number in every bank group; also REFpb
  nvdimm_read,
  nvdimm_write,
  power_down_enter,  // these four: of a rank
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

// Places to which a rule applies, relative to the preceding command.
enum class Scope : std::uint8_t {
  bank,         // the same bank
  same_bank,    // a bank with the same number in the rank, which is refreshed with it
  group,        // any bank of the same bank group
  rank,         // any bank of the same rank
  other_rank,   // any other rank of the channel (the NVDIMM is one)
  other_dimm,   // any rank on another DIMM of the channel (the NVDIMM is one)
  other_stack,  // any bank of the same rank in another stack of dies (HBM3's stack id)
};

// Minimum distance between two commands.
struct TimingRule {
  Command preceding;
  Command following;
  Scope scope;
  std::int64_t latency;  // cycles; <= 0: no constraint
  // Counts from the window-th last `preceding` (4 for tFAW). Commands whose windows end with the
  // same command fill one window together.
  int window = 1;
};

// Building blocks of standards.
namespace rules {

std::vector<TimingRule> joined(const std::vector<std::vector<TimingRule>>& parts);

// Rules within one bank, identical in all standards.
std::vector<TimingRule> of_bank(const DramParameters& dram);

// Rules between activates of a rank, and between its column commands of one direction.
std::vector<TimingRule> of_rank(const DramTiming& timing);

// Rules that are stricter within a bank group. `write_spacing`: cycles from write to write.
std::vector<TimingRule> of_group(const DramTiming& timing, std::int64_t write_spacing);

std::vector<TimingRule> of_all_bank_refresh(const DramTiming& timing);

// At most 16 refreshes of a rank within 2 x tREFI (DDR3 section 4.13, DDR4 section 4.26). Returns
// no rule if refreshes are neither postponed nor pulled in, because it could not bind.
std::vector<TimingRule> of_moved_refreshes(const DramParameters& dram);

// Same-bank refresh (JESD79-5B section 4.13, REFsb). The refreshed banks behave as in a refresh of
// the rank. Other banks continue, except that their activates keep a minimum distance.
// `after_activate`: cycles from an activate of the rank to a same-bank refresh; `spacing`: from one
// such refresh to the next.
std::vector<TimingRule> of_same_bank_refresh(const DramTiming& timing, std::int64_t after_activate,
                                             std::int64_t spacing);

// Data bus: bursts need a gap of tRTRS when the driver changes, i.e. with the rank or the
// direction. These are the only rules for the NVDIMM.
std::vector<TimingRule> of_bus(const DramTiming& timing);
// Longer gaps between DIMMs, if their tRTRS differs from that between ranks of a DIMM.
std::vector<TimingRule> of_dimms(const DramTiming& timing);
std::vector<TimingRule> of_direction(
    const DramTiming& timing);  // the part of of_bus() for read to write in a rank

// Rules for power-down and self-refresh, if the parameters enable them.
std::vector<TimingRule> of_power(const DramParameters& dram);

}  // namespace rules

}  // namespace hmsim
