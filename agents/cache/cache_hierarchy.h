// SPDX-License-Identifier: BSD-3-Clause
// Contents of a core's L1 and L2 and of its L3, updated access by access. The core models the
// timing.
//
// The caches are write-back and write-allocate. A miss inserts its line into every level on the
// path to L1. The levels are neither inclusive nor exclusive: eviction from one does not evict from
// the others. A dirty line evicted from a level is written into the next one, which allocates it
// without a read from below.
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
  // Level when no cache holds the line.
  static constexpr int kMemory = static_cast<int>(kCacheLevels) + 1;

  struct Prefetch {
    std::uint64_t line = 0;
    int level = 0;  // where it was found: 3 or kMemory
  };

  // `user` is the core's number at the L3. The core's line n is line first + n of its address
  // space.
  CacheHierarchy(const CacheParameters& parameters, LastLevelCache& l3, std::uint16_t user = 0,
                 SpaceLine first = {});

  // Performs a load or store by the instruction at `ip`. Returns the level, from 1, that held the
  // line.
  int access(std::uint64_t line, bool store, std::uint64_t ip);
  // Returns the dirty lines that the last access evicted from L3, in order.
  const std::vector<LastLevelCache::WriteBack>& write_backs() const { return write_backs_; }
  // Returns the lines that the last access prefetched into L2. L2 already counts them as present.
  const std::vector<Prefetch>& prefetches() const { return prefetches_; }

  bool in_l1(std::uint64_t line) const { return caches_[0].contains(line); }
  SpaceLine name(std::uint64_t line) const { return {first_.number + line, first_.space}; }

  LevelCounters& counters(std::size_t level) { return counters_[level]; }  // index 0: L1; 1: L2
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
