// SPDX-License-Identifier: BSD-3-Clause
#include "agents/cache/cache_hierarchy.h"

#include "core/archive.h"

namespace hmsim {

CacheHierarchy::CacheHierarchy(const CacheParameters& parameters, LastLevelCache& l3,
                               std::uint16_t user, SpaceLine first)
    : caches_{Cache(parameters.levels[0]), Cache(parameters.levels[1])},
      l3_(&l3),
      user_(user),
      first_(first),
      prefetcher_(parameters.prefetcher) {}

int CacheHierarchy::access(std::uint64_t line, bool store, std::uint64_t ip) {
  write_backs_.clear();
  prefetches_.clear();
  if (Cache::Way* const way = caches_[0].find(line); way != nullptr) {
    ++counters_[0].hits;
    if (store) {
      way->set_dirty();
    }
    return 1;
  }
  ++counters_[0].misses;
  const int level = fetch(line);
  insert(0, {line, store, false});
  ahead_.clear();
  prefetcher_.access(ip, line, ahead_);
  for (const std::uint64_t next : ahead_) {
    prefetch(next);
  }
  return level;
}

// Brings a line that L1 requests into L2. Returns the level that held the line.
int CacheHierarchy::fetch(std::uint64_t line) {
  if (Cache::Way* const way = caches_[1].find(line); way != nullptr) {
    ++counters_[1].hits;
    useful_ += way->prefetched() ? 1 : 0;
    way->clear_prefetched();
    return 2;
  }
  ++counters_[1].misses;
  const int level = fetch_from_l3(line, true);
  insert(1, {line, false, false});
  return level;
}

int CacheHierarchy::fetch_from_l3(std::uint64_t line, bool count) {
  const bool found = l3_->touch(name(line), false);
  LastLevelCache::Counters& counters = l3_->counters(user_);
  counters.hits += count && found ? 1 : 0;
  counters.misses += count && !found ? 1 : 0;
  if (!found) {
    l3_->insert(user_, name(line), false, write_backs_);
  }
  return found ? 3 : kMemory;
}

void CacheHierarchy::prefetch(std::uint64_t line) {
  if (!caches_[1].contains(line)) {
    ++issued_;
    prefetches_.push_back({line, fetch_from_l3(line, false)});
    insert(1, {line, false, true});
  }
}

void CacheHierarchy::insert(std::size_t level, const Cache::Way& way) {
  const Cache::Way leaves = caches_[level].insert(way);
  if (leaves.valid() && leaves.dirty()) {
    ++counters_[level].write_backs;
    write_into(level + 1, leaves.line());
  }
}

void CacheHierarchy::write_into(std::size_t level, std::uint64_t line) {
  if (level == kOwn) {
    if (!l3_->touch(name(line), true)) {
      l3_->insert(user_, name(line), true, write_backs_);
    }
  } else if (Cache::Way* const way = caches_[level].find(line); way != nullptr) {
    way->set_dirty();
  } else {
    insert(level, {line, true, false});
  }
}

void CacheHierarchy::serialize(Archive& archive) {
  archive.section("caches");
  for (Cache& cache : caches_) {
    cache.serialize(archive);
  }
  prefetcher_.serialize(archive);
  for (LevelCounters& level : counters_) {
    archive(level.hits, level.misses, level.write_backs);
  }
  archive(issued_, useful_);
}

}  // namespace hmsim
