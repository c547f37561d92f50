// SPDX-License-Identifier: BSD-3-Clause
#include "agents/cache/cache_parameters.h"

#include <string>

#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::array<const char*, kCacheLevels> kNames{"l1", "l2", "l3"};
constexpr std::array<Doc, kCacheLevels> kSizes{{
    {"bytes of the core's L1 data cache", "the paper, Table III"},
    {"bytes of the core's L2 cache",
     "ChampSim's default; the paper's 2 MB equal a core's share of its L3"},
    {"bytes of the core's private slice of the L3 cache; of the whole L3, when cores share one",
     "a quarter of the paper's 8 MB, and ChampSim's default for each core"},
}};
constexpr std::array<Doc, kCacheLevels> kWays{{
    {"ways of L1", "the paper, Table III"},
    {"ways of L2", "ChampSim's default"},
    {"ways of L3", "ChampSim's default"},
}};
constexpr std::array<Doc, kCacheLevels> kLatencies{{
    {"cycles of the core from a load's start to its data, when they are in L1",
     "ChampSim's default"},
    {"cycles of the core that a lookup in L2 adds", "ChampSim's default"},
    {"cycles of the core that a lookup in L3 adds", "ChampSim's default"},
}};
constexpr std::array<Doc, kCacheLevels> kMshrs{{
    {"L1's MSHRs: lines that it may wait for", "ChampSim's default"},
    {"L2's MSHRs: lines that it may wait for", "ChampSim's default"},
    {"L3's MSHRs: lines that it may wait for; of all cores together if they share it",
     "ChampSim's default for each core"},
}};
constexpr std::int64_t kLargest = 64 << 20;
constexpr std::int64_t kMostWays = 64;

}  // namespace

void CacheParameters::declare(ParameterSet& parameters) {
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const ParameterSet::Scope scope(parameters, kNames[i]);
    const ParameterSet::PartData part(parameters);
    CacheLevelParameters& level = levels[i];
    parameters.size("size", level.size, {kLineBytes.value(), kLargest}, kSizes[i]);
    parameters.integer("ways", level.ways, {1, kMostWays}, "lines", kWays[i]);
    parameters.integer("latency", level.latency, {1, 1'000}, "cycles", kLatencies[i]);
    parameters.integer("mshrs", level.mshrs, {1, 4'096}, "lines", kMshrs[i]);
  }
  {
    const ParameterSet::Scope scope(parameters, kNames[kCacheLevels - 1]);
    parameters.choice<Sharing>(
        "sharing", l3_sharing, {{"private", Sharing::private_slice}, {"shared", Sharing::shared}},
        {"private: each core has its own L3; shared: all cores with 'shared' have one together, "
         "with the size, ways and MSHRs of frontend.cache.l3",
         "private: the paper, Table III"});
  }
  parameters.choice<PrefetcherKind>(
      "prefetcher", prefetcher.kind,
      {{"none", PrefetcherKind::none}, {"stride", PrefetcherKind::stride}},
      {"prefetcher into L2: none, or a stride prefetcher indexed by instruction",
       "none: the paper names no prefetcher"});
  const ParameterSet::Scope scope(parameters, "stride");
  parameters.integer(
      "degree", prefetcher.degree, {1, 64}, "lines",
      {"lines prefetched for each access that follows a stride", "ChampSim's ip_stride"});
  parameters.integer("distance", prefetcher.distance, {1, 64}, "strides",
                     {"distance of the first prefetched line from that access, in strides",
                      "ChampSim's ip_stride"});
}

std::vector<ParameterError> CacheParameters::check() const {
  std::vector<ParameterError> errors;
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const std::int64_t way = levels[i].ways * kLineBytes.value();
    const std::int64_t sets = levels[i].size.value() / way;
    if (sets == 0 || (sets & (sets - 1)) != 0 || sets * way != levels[i].size.value()) {
      errors.push_back({std::string(kNames[i]) + ".size", "must be a power of two of sets, each " +
                                                              std::to_string(levels[i].ways) +
                                                              " lines of 64 bytes"});
    }
  }
  return errors;
}

std::vector<ParameterError> CacheParameters::check_shared(
    const CacheLevelParameters& shared) const {
  std::vector<ParameterError> errors;
  const CacheLevelParameters& own = levels[kCacheLevels - 1];
  const auto compare = [&errors](const char* key, bool same, const std::string& wanted) {
    if (!same) {
      errors.push_back({std::string("l3.") + key, "must equal that of the shared L3, " + wanted +
                                                      "; frontend.cache.l3." + key + " sets it"});
    }
  };
  if (l3_sharing == Sharing::shared) {
    compare("size", own.size == shared.size, format_size(shared.size));
    compare("ways", own.ways == shared.ways, std::to_string(shared.ways));
    compare("mshrs", own.mshrs == shared.mshrs, std::to_string(shared.mshrs));
  }
  return errors;
}

}  // namespace hmsim
