// SPDX-License-Identifier: BSD-3-Clause
// The pages of an FTL's LUNs, counted afresh: what tests and checks compare the running counts
// with.
#pragma once

#include <cstdint>

#include "nvdimm/ftl/ftl.h"

namespace hmsim {

// Pages of one LUN. in_flight: allocated, and not yet committed. invalid: padding, too.
struct FtlCensus {
  std::uint64_t free = 0;
  std::uint64_t valid = 0;
  std::uint64_t invalid = 0;
  std::uint64_t in_flight = 0;
};

// Raises a fault if map and frontiers contradict the running counts.
FtlCensus count_pages(const Ftl& ftl, std::uint32_t lun);

// Blocks of all LUNs that are out of use.
std::uint64_t bad_blocks(const Ftl& ftl);

}  // namespace hmsim
