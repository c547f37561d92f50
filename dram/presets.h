// SPDX-License-Identifier: BSD-3-Clause
// Parts by name: `ddr3_<rate><bin>_<density>_x<width>`, ddr4_, ddr5_, lpddr5_, hbm3_; each composed
// from the standard's tables of organisations, speed bins and density-dependent times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dram/parameters.h"

namespace hmsim {

struct DramPreset {
  std::string name;
  std::string source;
  const DramStandardDescriptor* standard;
  DramOrganisation organisation;
  DramTiming timing;
  DramPower power;
};

// All of them, in the order of listing; table3, the paper's, comes first.
const std::vector<DramPreset>& dram_presets();

DramPreset dram_preset(std::string_view name);  // InputError when unknown

// The devices that a part is made of.
struct DramDevice {
  std::int64_t megabits;
  int width;                // data lines of one
  std::int64_t page_bytes;  // of one device's row
  std::int64_t groups;
  std::int64_t banks;
  int data_lines = 64;         // of a rank
  std::int64_t refreshed = 0;  // DramOrganisation::refreshed
  std::int64_t stacks = 1;     // DramOrganisation::stacks
};

// The preset of a rank of such devices, named after the standard and `speed` ("1600k").
DramPreset make_preset(const DramStandardDescriptor& standard, const std::string& speed,
                       const DramDevice& device, const DramTiming& timing);

}  // namespace hmsim
