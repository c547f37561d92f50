// SPDX-License-Identifier: BSD-3-Clause
// What differs between families of DRAM: their parts and their timing rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dram/parameters.h"
#include "dram/presets.h"
#include "dram/timing_rules.h"

namespace hmsim {

struct DramFamilyTraits {
  DramFamily family;
  const char* standard;
  std::int64_t most_moved_refreshes;  // that may be put off, or made ahead of time
  bool same_bank_refresh;
  std::vector<DramPreset> (*presets)();
  std::vector<TimingRule> (*rules)(const DramParameters& dram);
};

// In the order of DramFamily.
inline constexpr std::array<DramFamilyTraits, kDramFamilyCount> kDramFamilies{{
    {DramFamily::ddr3, "JESD79-3F", 8, false, ddr3_presets, ddr3_rules},
    {DramFamily::ddr4, "JESD79-4B", 8, false, ddr4_presets, ddr4_rules},
    {DramFamily::ddr5, "JESD79-5B", 4, true, ddr5_presets, ddr5_rules},
}};

constexpr const DramFamilyTraits& traits_of(DramFamily family) {
  return kDramFamilies[static_cast<std::size_t>(family)];
}

static_assert(traits_of(DramFamily::ddr3).family == DramFamily::ddr3 &&
              traits_of(DramFamily::ddr4).family == DramFamily::ddr4 &&
              traits_of(DramFamily::ddr5).family == DramFamily::ddr5);

// The rules of the part that `dram` describes.
inline std::vector<TimingRule> timing_rules(const DramParameters& dram) {
  return traits_of(dram.family).rules(dram);
}

}  // namespace hmsim
