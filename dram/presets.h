// SPDX-License-Identifier: BSD-3-Clause
// Parts by name: `ddr3_<rate><bin>_<density>_x<width>`, ddr4_, ddr5_, lpddr5_, hbm3_. Each is
// composed from its standard's tables of organisations, speed bins and density-dependent times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dram/parameters.h"

namespace hmsim {

// A part: complete values for one rank.
struct DramPreset {
  std::string name;
  std::string source;
  const DramStandardDescriptor* standard;
  DramOrganisation organisation;
  DramTiming timing;
  DramPower power;
};

// Returns all parts in listing order; table3, the paper's part, comes first.
const std::vector<DramPreset>& dram_presets();

DramPreset dram_preset(std::string_view name);  // throws InputError if unknown

// Size and organisation of the DRAM devices of a part.
struct DramDevice {
  std::int64_t megabits;
  int width;                // data lines per device
  std::int64_t page_bytes;  // row size of one device
  std::int64_t groups;
  std::int64_t banks;
  int data_lines = 64;                 // per rank
  std::int64_t banks_per_refresh = 0;  // DramOrganisation::banks_per_refresh
  std::int64_t stacks = 1;             // DramOrganisation::stacks
};

// Returns the preset of a rank of `device`s, named after the standard and `speed` ("1600k").
DramPreset make_preset(const DramStandardDescriptor& standard, const std::string& speed,
                       const DramDevice& device, const DramTiming& timing);

}  // namespace hmsim
