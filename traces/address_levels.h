// SPDX-License-Identifier: BSD-3-Clause
// Levels of a DRAM hierarchy, channel to column, as they appear in an address vector.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace hmsim {

// Number of elements at each level, outermost first. The last level counts columns of one line
// each.
using AddressLevels = std::vector<std::uint64_t>;

// Parses "1, 2, 4, 4, 32768, 128": 1 to 16 numbers, each at least 1, whose product is at most 2^56.
// The empty text gives no levels.
Parsed<AddressLevels> parse_levels(std::string_view text);

}  // namespace hmsim
