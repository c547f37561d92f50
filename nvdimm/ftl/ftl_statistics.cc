// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl_statistics.h"

#include <array>
#include <numeric>
#include <string>

#include "core/statistic_table.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

using Ftls = std::vector<Ftl*>;
using Table = StatisticTable<Ftl, FtlStatistics>;
using ArrayTable = StatisticTable<FlashArray, NandStatistics>;
using MapTable = StatisticTable<MapCounts>;
using S = FtlStatistics;
using A = NandStatistics;
using M = MapCounts;

Counter lookups(const MapCounts& counts) { return counts.hits + counts.misses; }

constexpr std::array kMapRows{
    MapTable::ratio<lookups, &M::hits>("hit_ratio",
                                       "share of lookups that found their entry cached"),
    MapTable::counter<&M::hits>("hits", "lookups", "lookups that found their entry cached"),
    MapTable::counter<&M::misses>("misses", "lookups", "lookups that did not find it cached"),
    MapTable::counter<&M::evictions>("evictions", "entries", "entries that left the cache"),
    MapTable::counter<&M::dirty_evictions>("dirty_evictions", "entries",
                                           "changed entries that left the cache"),
    MapTable::counter<&M::reads>("reads", "pages", "translation pages read, except for copies"),
};

// Registers the statistics of cached maps. Full maps count nothing.
void report_map(StatisticRegistry& registry, const Ftls& ftls) {
  MapTable::Modules maps;
  for (Ftl* ftl : ftls) {
    if (ftl->map() != nullptr) {
      maps.push_back(&ftl->map()->counts());
    }
  }
  MapTable::report(kMapRows, registry, maps, "nvdimm.ftl.map.");
}

void report_cache(StatisticRegistry& registry, const Ftls& ftls);
// Registers what each stream caused. One stream counts nothing.
void report_streams(StatisticRegistry& registry, const Ftls& ftls) {
  struct Field {
    const char* name;
    const char* description;
    Counter StreamCounts::*count;
  };
  constexpr std::array<Field, 3> kFields{
      {{"host_pages", "pages of 4 KiB of the stream programmed for the host",
        &StreamCounts::host_pages},
       {"filler_pages", "pages of 4 KiB merged or padded in programs of the stream",
        &StreamCounts::filler_pages},
       {"gc_pages",
        "copies by collection and folds of pages that the host last wrote to the stream",
        &StreamCounts::gc_pages}}};
  for (std::size_t stream = 0; stream < ftls.front()->placement().counts().size(); ++stream) {
    const std::string prefix = "nvdimm.ftl.stream." + std::to_string(stream) + ".";
    std::array<std::vector<Counter*>, kFields.size()> sources;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      for (Ftl* ftl : ftls) {
        sources[i].push_back(&(ftl->placement().counts()[stream].*kFields[i].count));
      }
      registry.counter(prefix + kFields[i].name, "pages", kFields[i].description, sources[i]);
    }
    const auto sum = [](const std::vector<Counter*>& counters) {
      return std::accumulate(counters.begin(), counters.end(), 0.0, [](double all, Counter* each) {
        return all + static_cast<double>(*each);
      });
    };
    registry.ratio(
        prefix + "waf",
        "pages programmed for the stream, except the padding of copies, for each page of the host",
        [sum, sources] { return sum(sources[0]) + sum(sources[1]) + sum(sources[2]); },
        [sum, sources] { return sum(sources[0]); });
  }
}

// In reporting order.
constexpr std::array kWritingRows{
    Table::ratio<&S::host_pages, &S::host_pages, &S::gc_pages, &S::folded_pages, &S::map_pages,
                 &S::merged_pages, &S::padded_pages>(
        "nvdimm.ftl.waf",
        "write amplification in pages: pages programmed for the host, collections, folds of the "
        "SLC cache, the map and padding, for each page of the host that left the buffer, whatever "
        "part of it the host "
        "wrote. HBF's refreshes and replays are counted apart"),
    Table::counter<&S::host_pages>("nvdimm.ftl.host_pages", "pages",
                                   "pages of 4 KiB programmed for the host"),
    Table::counter<&S::gc_pages>(
        "nvdimm.ftl.gc_pages", "pages",
        "pages of 4 KiB programmed by garbage collection and wear levelling"),
    Table::counter<&S::map_pages>("nvdimm.ftl.map_pages", "pages",
                                  "translation pages of a cached map programmed, in 4 KiB"),
    Table::counter<&S::merged_pages>(
        "nvdimm.ftl.merged_pages", "pages",
        "pages of 4 KiB programmed again because another page of their flash page was written"),
    Table::counter<&S::padded_pages>(
        "nvdimm.ftl.padded_pages", "pages",
        "4 KiB units programmed without data because too little was left to fill a flash page"),
    Table::derived(report_map),
    Table::derived(report_cache),
    Table::derived(report_streams),
    Table::counter<&S::levelled_blocks>("nvdimm.ftl.levelled_blocks", "blocks",
                                        "blocks moved by static wear levelling"),
    Table::counter<&S::trimmed_pages>("nvdimm.ftl.trimmed_pages", "pages",
                                      "pages in flash that were discarded"),
    Table::counter<&S::gc_count>("nvdimm.gc.count", "collections", "blocks collected"),
};

constexpr std::array kCacheRows{
    Table::counter<&S::cached_pages>("cached_pages", "pages",
                                     "pages of 4 KiB that the host wrote to the SLC cache"),
    Table::counter<&S::folded_pages>(
        "folded_pages", "pages",
        "pages of 4 KiB programmed to move them out of the SLC cache; not in nvdimm.ftl.gc_pages"),
    Table::counter<&S::folds>("folds", "blocks", "blocks of the SLC cache emptied and erased"),
};

// Registers the statistics of SLC caches. FTLs without one count nothing.
void report_cache(StatisticRegistry& registry, const Ftls& ftls) {
  if (std::any_of(ftls.begin(), ftls.end(),
                  [](const Ftl* ftl) { return ftl->shape().cache_blocks > 0; })) {
    Table::report(kCacheRows, registry, ftls, "nvdimm.ftl.slc.");
  }
}

constexpr std::array kBlockedRows{
    ArrayTable::scaled<&A::gc_blocked_ps>(
        "nvdimm.gc.blocked_us", "us",
        "time that flash commands (page reads, write-backs) waited in the queues of LUNs under "
        "collection, summed over the commands; write-backs without a LUN are not counted; "
        "nvdimm.latency.*.gc_blocked_ns has the time that requests waited",
        1'000'000),
};

constexpr std::array kDecisionRows{
    Table::counter<&S::gc_deferred>("nvdimm.gc.deferred", "times",
                                    "times that collection yielded to the host"),
    Table::counter<&S::gc_urgent>(
        "nvdimm.gc.urgent", "decisions",
        "steps taken against the scheduler's decision because few blocks were free"),
    Table::counter<&S::gc_early>("nvdimm.gc.early", "collections",
                                 "collections that began in advance"),
    Table::counter<&S::gc_cached>("nvdimm.gc.cached_pages", "pages",
                                  "copied pages handed to the requests that waited for them"),
    Table::counter<&S::gc_prefetches>("nvdimm.gc.prefetched_pages", "pages",
                                      "page reads for requests that postponed an erase"),
};

constexpr std::array kSuspensionRows{
    ArrayTable::counter<&A::gc_suspensions>(
        "nvdimm.gc.suspensions", "operations",
        "times that a program or an erase of a collection was suspended for reads"),
};

constexpr std::array kCollectionRows{
    Table::histogram<&S::gc_overlapped_ack>(
        "nvdimm.gc.ack_us", "us", "command to ack, of commands during a collection", 1'000'000),
    Table::histogram<&S::gc_duration>("nvdimm.gc.duration_us", "us", "first copy to end of erase",
                                      1'000'000),
    Table::histogram<&S::gc_valid_pages>("nvdimm.gc.valid_pages", "pages",
                                         "valid pages of victim blocks", 1),
};

static_assert(Table::complete(kWritingRows, kCacheRows, kDecisionRows, kCollectionRows),
              "missing or duplicate row of a count");

}  // namespace

void FtlStatistics::serialize(Archive& archive) {
  Table::serialize(*this, archive, kWritingRows, kCacheRows, kDecisionRows, kCollectionRows);
}

void register_ftl_statistics(StatisticRegistry& registry, const std::vector<Ftl*>& ftls,
                             const std::vector<FlashArray*>& arrays) {
  Table::report(kWritingRows, registry, ftls);
  ArrayTable::report(kBlockedRows, registry, arrays);
  Table::report(kDecisionRows, registry, ftls);
  ArrayTable::report(kSuspensionRows, registry, arrays);
  Table::report(kCollectionRows, registry, ftls);
}

}  // namespace hmsim
