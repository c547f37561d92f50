// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a core's caches.
#include <string>

#include "agents/core/cpu_core.h"

namespace hmsim {

void CpuCore::register_statistics(StatisticRegistry& registry, const std::string& path) {
  CoreAgent::register_statistics(registry, path);
  LastLevelCache::Counters& last = l3_->counters(user_);
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const bool is_last = i + 1 == kCacheLevels;
    const std::string name = path + ".l" + std::to_string(i + 1);
    registry.counter(name + ".hits", "accesses",
                     "loads and stores that found their line in this cache, or in flight to it",
                     {is_last ? &last.hits : &caches_->counters(i).hits});
    registry.counter(name + ".misses", "accesses", "loads and stores that did not",
                     {is_last ? &last.misses : &caches_->counters(i).misses});
    if (!is_last) {
      registry.counter(name + ".merges", "accesses",
                       "hits and misses that waited for a line in flight", {&merges_[i]});
    }
    registry.counter(name + ".write_backs", "lines",
                     is_last ? "dirty lines of this core that left this cache"
                             : "dirty lines that left this cache",
                     {is_last ? &last.write_backs : &caches_->counters(i).write_backs});
  }
  if (own_l3_ == nullptr) {
    registry.counter(path + ".l3.merges", "lines",
                     "hits and misses that waited for a line that another core fetched",
                     {&last.merges});
    registry.counter(path + ".l3.displaced", "lines",
                     "lines of this core that lines of other cores evicted", {&last.displaced});
  }
  if (cache_parameters_.prefetcher.kind == PrefetcherKind::none) {
    return;
  }
  Counter& issued = caches_->prefetches_issued();
  Counter& useful = caches_->prefetches_useful();
  const Counter& missed = caches_->counters(1).misses;
  registry.counter(path + ".l2.prefetches", "lines", "lines that the prefetcher fetched into L2",
                   {&issued});
  registry.counter(path + ".l2.prefetches_useful", "lines",
                   "prefetched lines that L1 requested while they were in L2 or in flight",
                   {&useful});
  registry.ratio(
      path + ".l2.prefetch_accuracy", "share of the prefetched lines that were useful",
      [&useful] { return static_cast<double>(useful); },
      [&issued] { return static_cast<double>(issued); });
  registry.ratio(
      path + ".l2.prefetch_coverage",
      "share of L2's misses without prefetching that useful prefetches avoided",
      [&useful] { return static_cast<double>(useful); },
      [&useful, &missed] { return static_cast<double>(useful + missed); });
}

}  // namespace hmsim
