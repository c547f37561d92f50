// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "dram/parameters.h"

namespace hmsim {

struct DramPreset {
  const char* name;
  const char* source;
  DramOrganisation organisation;
  DramTiming timing;
};

extern const std::array<DramPreset, 3> kDramPresets;

const DramPreset& dram_preset(std::string_view name);  // InputError when unknown

}  // namespace hmsim
