// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the FTL and of garbage collection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

enum class PageAllocation : std::uint8_t { dynamic, fixed };  // fixed: "static" to users
enum class MapPlace : std::uint8_t { full, cached };
enum class WriteFrontier : std::uint8_t { separate, shared };
enum class CacheSize : std::uint8_t { fixed, dynamic };  // fixed: "static" to users
enum class PartialWrites : std::uint8_t { combine, pad, merge };

struct FtlParameters {
  double over_provisioning = 7;  // percent
  PageAllocation allocation = PageAllocation::dynamic;
  std::string order = "CWDP";
  double gc_threshold = 0.05;  // fraction of the blocks of a LUN
  std::int64_t reserve_blocks = 3;
  WriteFrontier frontier = WriteFrontier::separate;
  PartialWrites partial_writes = PartialWrites::combine;
  MapPlace map = MapPlace::full;
  Bytes map_cache{2LL << 20};
  Bytes map_entry{4};
  std::string map_replacement = "lru_entries";
  std::string victim = "greedy";
  std::string placement = "single";
  std::int64_t streams = 2;
  std::string wear = "erase_gap";
  std::int64_t wear_gap = 100;
  CacheSize slc_size = CacheSize::fixed;
  // Makers of policies that replace the named ones, if given.
  std::function<std::unique_ptr<Policy>()> make_placement;
  std::function<std::unique_ptr<Policy>()> make_wear;
  std::function<std::unique_ptr<Policy>()> make_map;

  // Takes the makers of OWNER.ftl.{placement,wear,map_replacement}.
  void set_makers(const PolicyMakers& makers, const std::string& owner);
  // Declares the fields under "ftl.".
  void declare(ParameterSet& set);
  // Appends the errors that do not depend on the flash; check_shape() (ftl_shape.h) adds the rest.
  void check(std::vector<ParameterError>& errors) const;
};

struct GcParameters {
  std::string scheduler = "reactive";
  double urgent_limit = 0.005;  // fraction of the blocks of a LUN
  bool hold_channel = false;

  // Declares the fields under "gc.".
  void declare(ParameterSet& set);
};

}  // namespace hmsim
