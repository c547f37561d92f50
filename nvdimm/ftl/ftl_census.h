// SPDX-License-Identifier: BSD-3-Clause
// Recounts the pages of an FTL's LUNs. Tests and checks compare the result with the running counts.
#pragma once

#include <cstdint>

#include "nvdimm/ftl/ftl.h"

namespace hmsim {

// Pages of one LUN. in_flight: allocated but not committed. invalid: includes padding.
struct FtlCensus {
  std::uint64_t free = 0;
  std::uint64_t valid = 0;
  std::uint64_t invalid = 0;
  std::uint64_t in_flight = 0;
};

// Counts the pages of a LUN. Raises a fault if the map and the frontiers contradict the running
// counts.
FtlCensus count_pages(const Ftl& ftl, std::uint32_t lun);

// Returns the number of bad blocks in all LUNs.
std::uint64_t bad_blocks(const Ftl& ftl);

}  // namespace hmsim
