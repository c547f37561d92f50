// SPDX-License-Identifier: BSD-3-Clause
// A DRAM's levels, channel to column, as an address vector counts them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace hmsim {

// How many there are at each level, the outermost first; of the last level, columns of a line each.
using AddressLevels = std::vector<std::uint64_t>;

// "1, 2, 4, 4, 32768, 128": 1 to 16 numbers from 1 on whose product is at most 2^56; none: "".
Parsed<AddressLevels> parse_levels(std::string_view text);

}  // namespace hmsim
