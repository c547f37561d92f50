// SPDX-License-Identifier: BSD-3-Clause
// The content of a core's L1 and L2, and of the L3 behind them, access by access. The times of
// accesses are the core's part.
//
// Write back and write allocate. A miss puts its line into every level on its way up; a level that
// loses a line does not take it from the others (neither inclusive nor exclusive). A dirty line
// that leaves a level is written into the next one, which takes it in without reading it from
// below.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "agents/cache/cache.h"
#include "agents/cache/cache_parameters.h"
#include "agents/cache/last_level_cache.h"
#include "agents/cache/stride_prefetcher.h"
#include "core/statistics.h"

namespace hmsim {

class CacheHierarchy {
 public:
  static constexpr int kMemory = static_cast<int>(kCacheLevels) + 1;  // where no level has a line

  struct Prefetch {
    std::uint64_t line = 0;
    int level = 0;  // where it was found: 3 or kMemory
  };
  struct LevelCounters {
    Counter hits = 0;         // of loads and stores
    Counter misses = 0;       // likewise
    Counter write_backs = 0;  // dirty lines that left it
  };

  // `user` is the core's number at the L3; its line n is there line first + n of the space.
  CacheHierarchy(const CacheParameters& parameters, LastLevelCache& l3, std::uint16_t user = 0,
                 SpaceLine first = {});

  // A load or store by instruction `ip`: the level, from 1, where the line was found.
  int access(std::uint64_t line, bool store, std::uint64_t ip);
  // The dirty lines that the last access made leave L3, in order.
  const std::vector<LastLevelCache::WriteBack>& write_backs() const { return write_backs_; }
  // The lines that the last access has fetched ahead of use into L2, which counts as holding them.
  const std::vector<Prefetch>& prefetches() const { return prefetches_; }

  bool in_l1(std::uint64_t line) const { return caches_[0].contains(line); }
  SpaceLine name(std::uint64_t line) const { return {first_.number + line, first_.space}; }

  LevelCounters& counters(std::size_t level) { return counters_[level]; }  // of L1 and L2: 0, 1
  Counter& prefetches_issued() { return issued_; }
  Counter& prefetches_useful() { return useful_; }

  void serialize(Archive& archive);

 private:
  int fetch(std::uint64_t line);
  int fetch_from_l3(std::uint64_t line, bool count);
  void write_into(std::size_t level, std::uint64_t line);
  void insert(std::size_t level, const Cache::Way& way);
  void prefetch(std::uint64_t line);

  static constexpr std::size_t kOwn = kCacheLevels - 1;

  std::array<Cache, kOwn> caches_;
  LastLevelCache* l3_;
  std::uint16_t user_;
  SpaceLine first_;
  StridePrefetcher prefetcher_;
  std::vector<LastLevelCache::WriteBack> write_backs_;
  std::vector<std::uint64_t> ahead_;
  std::vector<Prefetch> prefetches_;
  std::array<LevelCounters, kOwn> counters_;
  Counter issued_ = 0;
  Counter useful_ = 0;
};

}  // namespace hmsim
