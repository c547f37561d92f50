// SPDX-License-Identifier: BSD-3-Clause
// The policies of an FTL.
#pragma once

#include <memory>

#include "policies/map_replacement.h"
#include "policies/page_placement.h"
#include "policies/policy.h"
#include "policies/wear_leveler.h"

namespace hmsim {

struct FtlPolicies {
  std::unique_ptr<VictimSelector> victims = nullptr;    // nullptr: greedy
  std::unique_ptr<PagePlacement> placement = nullptr;   // all pages have stream 0
  std::unique_ptr<WearLeveler> wear = nullptr;          // erase_gap
  std::unique_ptr<MapReplacement> map_cache = nullptr;  // lru_entries
};

}  // namespace hmsim
