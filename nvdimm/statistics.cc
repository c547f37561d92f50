// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/statistics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/statistic_table.h"
#include "nvdimm/nand/nand_energy.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

namespace {

using Nvdimms = std::vector<Nvdimm*>;
using Table = StatisticTable<Nvdimm, NvdimmStatistics>;
using S = NvdimmStatistics;

double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}

// `read` folds a module into the value of those before it.
template <class Read>
void gauge(StatisticRegistry& registry, const Nvdimms& nvdimms, const char* name, const char* unit,
           const char* description, Read read) {
  registry.gauge(name, unit, description, [nvdimms, read] {
    double value = 0;
    for (Nvdimm* nvdimm : nvdimms) {
      value = read(value, *nvdimm);
    }
    return value;
  });
}

// Of cached maps.
void report_map(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  const auto counter = [&](const char* name, const char* unit, const char* description,
                           Counter MapCounts::*member) {
    std::vector<Counter*> sources;
    for (Nvdimm* nvdimm : nvdimms) {
      sources.push_back(&(nvdimm->map_counts().*member));
    }
    registry.counter(name, unit, description, std::move(sources));
  };
  const auto sum = [nvdimms](bool lookups) {
    return [nvdimms, lookups] {
      Counter total = 0;
      for (Nvdimm* nvdimm : nvdimms) {
        const MapCounts& counts = nvdimm->map_counts();
        total += counts.hits + (lookups ? counts.misses : 0);
      }
      return static_cast<double>(total);
    };
  };
  registry.ratio("nvdimm.ftl.map.hit_ratio", "lookups in the map that found their entry cached",
                 sum(false), sum(true));
  counter("nvdimm.ftl.map.hits", "lookups", "lookups that found their entry cached",
          &MapCounts::hits);
  counter("nvdimm.ftl.map.misses", "lookups", "lookups that did not", &MapCounts::misses);
  counter("nvdimm.ftl.map.evictions", "entries", "entries that left the cache",
          &MapCounts::evictions);
  counter("nvdimm.ftl.map.dirty_evictions", "entries", "of these, entries that had changed",
          &MapCounts::dirty_evictions);
  counter("nvdimm.ftl.map.reads", "pages", "translation pages read, but for copies",
          &MapCounts::reads);
}

void report_power(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  register_power_statistics(registry, {nvdimms.begin(), nvdimms.end()});
  gauge(registry, nvdimms, "nvdimm.power.flushed_pages", "pages",
        "dirty pages saved at power failures", [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().flushed_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.merged_pages", "pages",
        "those of them that were completed from flash before",
        [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().merged_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.torn_pages", "pages",
        "pages whose program or erase was interrupted by power failures",
        [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().torn_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.recovery_us", "us",
        "the longest time from power to the first command: reading all spare areas, collecting "
        "LUNs that have too few free blocks",
        [](double most, const Nvdimm& nvdimm) {
          return std::max(most, microseconds(nvdimm.power_record().recovery));
        });
}

void report_bad_blocks(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  gauge(registry, nvdimms, "nvdimm.nand.bad_blocks", "blocks",
        "blocks out of use, from the beginning or since", [](double sum, const Nvdimm& nvdimm) {
          return sum +
                 static_cast<double>(nvdimm.ftl().bad_blocks() * nvdimm.parameters().nand.planes);
        });
}

void report_energy(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  const auto energy = [&](const char* name, const char* description, double NandEnergy::*part) {
    gauge(registry, nvdimms, name, "J", description, [part](double sum, Nvdimm& nvdimm) {
      return sum + nand_energy(nvdimm.parameters().nand, nvdimm.statistics(), nvdimm.now()).*part;
    });
  };
  energy("nvdimm.nand.energy.read", "energy of cells that were read", &NandEnergy::read);
  energy("nvdimm.nand.energy.program", "energy of cells that were programmed",
         &NandEnergy::program);
  energy("nvdimm.nand.energy.erase", "energy of cells that were erased", &NandEnergy::erase);
  energy("nvdimm.nand.energy.bus", "energy of flash channels", &NandEnergy::bus);
  energy("nvdimm.nand.energy.standby", "energy that LUNs take always", &NandEnergy::standby);
  energy("nvdimm.nand.energy.total", "energy of flash chips", &NandEnergy::total);
  gauge(registry, nvdimms, "nvdimm.nand.average_power", "W", "that energy over the time",
        [](double sum, Nvdimm& nvdimm) {
          const Tick elapsed = nvdimm.now() - nvdimm.statistics().since;
          const double total =
              nand_energy(nvdimm.parameters().nand, nvdimm.statistics(), nvdimm.now()).total;
          return sum + (elapsed == Tick(0) ? 0 : total / seconds(elapsed));
        });
}

std::int64_t buses(const Nvdimm& nvdimm) { return nvdimm.flash().channels(); }
std::int64_t luns(const Nvdimm& nvdimm) { return nvdimm.ftl().shape().luns; }

constexpr std::array kBufferRows{
    Table::part<&S::read_lookups>(),
    Table::part<&S::read_hits>(),
    Table::part<&S::read_merged>(),
    Table::part<&S::write_lookups>(),
    Table::part<&S::write_hits>(),
    Table::part<&S::write_merged>(),
    Table::ratio<&S::read_lookups, &S::read_hits, &S::read_merged>(
        "nvdimm.buffer.read_hit_ratio",
        "reads that found their line in the buffer or on its way from flash"),
    Table::ratio<&S::write_lookups, &S::write_hits, &S::write_merged>(
        "nvdimm.buffer.write_hit_ratio",
        "writes whose page or item had, or waited for, a frame of the write part"),
    Table::ratio<&S::read_lookups, &S::read_hits>("nvdimm.buffer.read_hit_ratio_strict",
                                                  "reads that found their line in the buffer"),
    Table::ratio<&S::write_lookups, &S::write_hits>(
        "nvdimm.buffer.write_hit_ratio_strict",
        "writes whose page or item had a frame of the write part"),
    Table::sum<&S::read_merged, &S::write_merged>(
        "nvdimm.buffer.merged", "commands",
        "commands that found their page or item on its way into a frame"),
    Table::counter<&S::unmapped_reads>(
        "nvdimm.buffer.unmapped_reads", "commands",
        "reads of never-written pages that were answered without flash access"),
    Table::counter<&S::evictions>("nvdimm.buffer.evictions", "pages", "pages written back"),
    Table::counter<&S::eviction_reads>(
        "nvdimm.buffer.eviction_reads", "pages",
        "pages read from flash to complete one that is written back"),
    Table::counter<&S::prefetches>(
        "nvdimm.buffer.prefetches", "pages",
        "pages (items) read from flash for commands that were still queued"),
    Table::counter<&S::prefetch_useful>(
        "nvdimm.buffer.prefetch_useful", "pages",
        "of these, pages that were in the buffer when first looked up"),
    Table::counter<&S::prefetch_late>(
        "nvdimm.buffer.prefetch_late", "pages",
        "of these, pages that were still on their way when first looked up"),
    Table::counter<&S::prefetch_unused>(
        "nvdimm.buffer.prefetch_unused", "pages",
        "of these, pages that left the buffer before any read asked for them"),
    Table::counter<&S::preevictions>("nvdimm.buffer.preevictions", "pages",
                                     "pages written back before a write needed their frame"),
    Table::counter<&S::flushed_pages>("nvdimm.buffer.flushed_pages", "pages",
                                      "pages written back because of a flush"),
};

constexpr std::array kFtlRows{
    Table::ratio<&S::host_pages, &S::host_pages, &S::gc_pages, &S::map_pages, &S::merged_pages,
                 &S::padded_pages>(
        "nvdimm.ftl.waf", "write amplification: pages programmed for each page of the host"),
    Table::counter<&S::host_pages>("nvdimm.ftl.host_pages", "pages",
                                   "pages of 4 KiB programmed for the host"),
    Table::counter<&S::gc_pages>(
        "nvdimm.ftl.gc_pages", "pages",
        "pages of 4 KiB programmed by garbage collection and wear levelling"),
    Table::counter<&S::map_pages>("nvdimm.ftl.map_pages", "pages",
                                  "translation pages of a cached map programmed, in 4 KiB"),
    Table::counter<&S::merged_pages>(
        "nvdimm.ftl.merged_pages", "pages",
        "pages of 4 KiB programmed again because another one of their flash page was written"),
    Table::counter<&S::padded_pages>(
        "nvdimm.ftl.padded_pages", "pages",
        "4 KiB programmed without data, where there was too little to fill a flash page"),
    Table::derived(report_map),
    Table::counter<&S::levelled_blocks>("nvdimm.ftl.levelled_blocks", "blocks",
                                        "blocks moved by static wear levelling"),
    Table::counter<&S::trimmed_pages>("nvdimm.ftl.trimmed_pages", "pages",
                                      "pages in flash that were discarded"),
    Table::counter<&S::gc_count>("nvdimm.gc.count", "collections", "blocks collected"),
    Table::scaled<&S::gc_blocked_ps>(
        "nvdimm.gc.blocked_us", "us",
        "time that flash commands (page reads, write-backs) stood in the queues of LUNs under "
        "collection, summed over the commands; a write-back without a LUN stands in none, so that "
        "what requests waited for is in nvdimm.latency.*.gc_blocked_ns",
        1'000'000),
    Table::counter<&S::gc_deferred>("nvdimm.gc.deferred", "times",
                                    "times that collection gave way to the host"),
    Table::counter<&S::gc_urgent>(
        "nvdimm.gc.urgent", "decisions",
        "steps taken against the scheduler's will, because few blocks were free"),
    Table::counter<&S::gc_early>("nvdimm.gc.early", "collections",
                                 "collections that began before they were due"),
    Table::counter<&S::gc_cached>("nvdimm.gc.cached_pages", "pages",
                                  "copied pages that went to the requests that waited for them"),
    Table::counter<&S::gc_prefetches>("nvdimm.gc.prefetched_pages", "pages",
                                      "page reads for requests that an erase was put off for"),
    Table::counter<&S::gc_suspensions>(
        "nvdimm.gc.suspensions", "operations",
        "times that a program or an erase of a collection was suspended for reads"),
    Table::histogram<&S::gc_overlapped_ack>(
        "nvdimm.gc.ack_us", "us",
        "command to ack, of commands during which a collection was under way", 1'000'000),
    Table::histogram<&S::gc_duration>("nvdimm.gc.duration_us", "us", "first copy to end of erase",
                                      1'000'000),
    Table::histogram<&S::gc_valid_pages>("nvdimm.gc.valid_pages", "pages",
                                         "valid pages of victim blocks", 1),
    Table::derived(report_power),
};

constexpr std::array kNandRows{
    Table::counter<&S::page_reads>("nvdimm.nand.reads", "pages",
                                   "flash pages read from their cells"),
    Table::counter<&S::page_programs>("nvdimm.nand.programs", "pages", "flash pages programmed"),
    Table::counter<&S::block_erases>("nvdimm.nand.erases", "blocks", "blocks erased"),
    Table::counter<&S::multi_plane_operations>("nvdimm.nand.multi_plane_operations", "operations",
                                               "operations on several planes of a LUN at once"),
    Table::counter<&S::cache_operations>(
        "nvdimm.nand.cache_operations", "operations",
        "operations whose cells began while the data of the one before moved, or waited to"),
    Table::counter<&S::suspensions>("nvdimm.nand.suspensions", "operations",
                                    "times that a program or an erase was suspended for reads"),
    Table::scaled<&S::bus_wait_ps>(
        "nvdimm.nand.bus_wait_us", "us",
        "time that LUNs waited for their flash channel, summed over them", 1'000'000),
    Table::counter<&S::program_failures>("nvdimm.nand.program_failures", "pages",
                                         "programs that failed"),
    Table::counter<&S::erase_failures>("nvdimm.nand.erase_failures", "superblocks",
                                       "erases that failed"),
    Table::counter<&S::read_retries>("nvdimm.nand.read_retries", "repetitions",
                                     "repetitions of reads"),
    Table::derived(report_bad_blocks),
    Table::part<&S::read_cells_ps>(),
    Table::part<&S::program_cells_ps>(),
    Table::part<&S::erase_cells_ps>(),
    Table::part<&S::since>(),
    Table::derived(report_energy),
    Table::utilisation<&S::busy_buses>("nvdimm.nand.bus_utilisation",
                                       "share of time that a flash channel is taken", buses),
    Table::utilisation<&S::busy_luns>("nvdimm.nand.lun_utilisation",
                                      "share of time that a LUN is busy", luns),
};

static_assert(Table::complete(kBufferRows, kFtlRows, kNandRows), "a count has no row, or several");

}  // namespace

void NvdimmStatistics::serialize(Archive& archive) {
  Table::serialize(*this, archive, kBufferRows, kFtlRows, kNandRows);
}

void NvdimmStatistics::reset(Tick now) {
  Occupancy luns = std::move(busy_luns);
  Occupancy buses = std::move(busy_buses);
  *this = NvdimmStatistics(0, 0);
  busy_luns = std::move(luns);
  busy_buses = std::move(buses);
  busy_luns.reset(now);
  busy_buses.reset(now);
  since = now;
}

void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules) {
  Nvdimms nvdimms;
  for (NvdimmModule* module : modules) {
    nvdimms.push_back(static_cast<Nvdimm*>(module));
  }
  registry.on_reset([nvdimms](Tick now) {
    for (Nvdimm* nvdimm : nvdimms) {
      nvdimm->reset_statistics(now);
    }
  });
  Table::report(kBufferRows, registry, nvdimms);
  Table::report(kFtlRows, registry, nvdimms);
  Table::report(kNandRows, registry, nvdimms);
}

}  // namespace hmsim
