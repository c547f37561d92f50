// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/statistics.h"

#include <algorithm>
#include <utility>

#include "nvdimm/nand/nand_energy.h"
#include "nvdimm/nvdimm.h"
#include "nvdimm/registrar.h"

namespace hmsim {

namespace {

double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}

// Of cached maps.
void register_map_statistics(StatisticRegistry& registry, const std::vector<Nvdimm*>& nvdimms) {
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

}  // namespace

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
  std::vector<Nvdimm*> nvdimms;
  for (NvdimmModule* module : modules) {
    nvdimms.push_back(static_cast<Nvdimm*>(module));
  }
  using S = NvdimmStatistics;
  Registrar<Nvdimm, S> add(registry, nvdimms);
  registry.on_reset([nvdimms](Tick now) {
    for (Nvdimm* nvdimm : nvdimms) {
      nvdimm->reset_statistics(now);
    }
  });

  add.ratio("nvdimm.buffer.read_hit_ratio",
            "reads that found their line in the buffer or on its way from flash",
            {&S::read_hits, &S::read_merged}, &S::read_lookups);
  add.ratio("nvdimm.buffer.write_hit_ratio",
            "writes whose page or item had, or waited for, a frame of the write part",
            {&S::write_hits, &S::write_merged}, &S::write_lookups);
  add.ratio("nvdimm.buffer.read_hit_ratio_strict", "reads that found their line in the buffer",
            {&S::read_hits}, &S::read_lookups);
  add.ratio("nvdimm.buffer.write_hit_ratio_strict",
            "writes whose page or item had a frame of the write part", {&S::write_hits},
            &S::write_lookups);
  add.counter("nvdimm.buffer.merged", "commands",
              "commands that found their page or item on its way into a frame",
              {&S::read_merged, &S::write_merged});
  add.counter("nvdimm.buffer.unmapped_reads", "commands",
              "reads of never-written pages that were answered without flash access",
              {&S::unmapped_reads});
  add.counter("nvdimm.buffer.evictions", "pages", "pages written back", {&S::evictions});
  add.counter("nvdimm.buffer.eviction_reads", "pages",
              "pages read from flash to complete one that is written back", {&S::eviction_reads});
  add.counter("nvdimm.buffer.prefetches", "pages",
              "pages (items) read from flash for commands that were still queued",
              {&S::prefetches});
  add.counter("nvdimm.buffer.prefetch_useful", "pages",
              "of these, pages that were in the buffer when first looked up",
              {&S::prefetch_useful});
  add.counter("nvdimm.buffer.prefetch_late", "pages",
              "of these, pages that were still on their way when first looked up",
              {&S::prefetch_late});
  add.counter("nvdimm.buffer.prefetch_unused", "pages",
              "of these, pages that left the buffer before any read asked for them",
              {&S::prefetch_unused});
  add.counter("nvdimm.buffer.preevictions", "pages",
              "pages written back before a write needed their frame", {&S::preevictions});
  add.counter("nvdimm.buffer.flushed_pages", "pages", "pages written back because of a flush",
              {&S::flushed_pages});

  add.ratio("nvdimm.ftl.waf", "write amplification: pages programmed for each page of the host",
            {&S::host_pages, &S::gc_pages, &S::map_pages}, &S::host_pages);
  add.counter("nvdimm.ftl.host_pages", "pages", "pages programmed for the host", {&S::host_pages});
  add.counter("nvdimm.ftl.gc_pages", "pages",
              "pages programmed by garbage collection and wear levelling", {&S::gc_pages});
  add.counter("nvdimm.ftl.map_pages", "pages", "translation pages of a cached map programmed",
              {&S::map_pages});
  register_map_statistics(registry, nvdimms);
  add.counter("nvdimm.ftl.levelled_blocks", "blocks", "blocks moved by static wear levelling",
              {&S::levelled_blocks});

  add.counter("nvdimm.ftl.trimmed_pages", "pages", "pages in flash that were discarded",
              {&S::trimmed_pages});

  add.counter("nvdimm.gc.count", "collections", "blocks collected", {&S::gc_count});
  add.gauge("nvdimm.gc.blocked_us", "us",
            "time that page reads and write-backs stood in the queues of LUNs under collection, "
            "summed over them",
            1e6, &S::gc_blocked_ps);
  add.counter("nvdimm.gc.deferred", "times", "times that collection gave way to the host",
              {&S::gc_deferred});
  add.counter("nvdimm.gc.urgent", "decisions",
              "steps taken against the scheduler's will, because few blocks were free",
              {&S::gc_urgent});
  add.counter("nvdimm.gc.early", "collections", "collections that began before they were due",
              {&S::gc_early});
  add.counter("nvdimm.gc.cached_pages", "pages",
              "copied pages that went to the requests that waited for them", {&S::gc_cached});
  add.counter("nvdimm.gc.prefetched_pages", "pages",
              "page reads for requests that an erase was put off for", {&S::gc_prefetches});
  add.counter("nvdimm.gc.suspensions", "operations",
              "times that a program or an erase of a collection was suspended for reads",
              {&S::gc_suspensions});
  add.histogram("nvdimm.gc.ack_us", "us",
                "command to ack, of commands during which a collection was under way", 1'000'000,
                &S::gc_overlapped_ack);
  add.histogram("nvdimm.gc.duration_us", "us", "first copy to end of erase", 1'000'000,
                &S::gc_duration);
  add.histogram("nvdimm.gc.valid_pages", "pages", "valid pages of victim blocks", 1,
                &S::gc_valid_pages);

  register_power_statistics(registry, modules);
  const auto record = [&registry, &nvdimms](const char* name, const char* unit,
                                            const char* description, auto read) {
    registry.gauge(name, unit, description, [nvdimms, read] {
      double value = 0;
      for (Nvdimm* nvdimm : nvdimms) {
        value = read(value, *nvdimm);
      }
      return value;
    });
  };
  record("nvdimm.power.flushed_pages", "pages", "dirty pages saved at power failures",
         [](double sum, const Nvdimm& nvdimm) {
           return sum + static_cast<double>(nvdimm.power_record().flushed_pages);
         });
  record("nvdimm.power.merged_pages", "pages",
         "those of them that were completed from flash before",
         [](double sum, const Nvdimm& nvdimm) {
           return sum + static_cast<double>(nvdimm.power_record().merged_pages);
         });
  record("nvdimm.power.torn_pages", "pages",
         "pages whose program or erase was interrupted by power failures",
         [](double sum, const Nvdimm& nvdimm) {
           return sum + static_cast<double>(nvdimm.power_record().torn_pages);
         });
  record("nvdimm.power.recovery_us", "us",
         "the longest time from power to the first command: reading all spare areas, collecting "
         "LUNs that have too few free blocks",
         [](double most, const Nvdimm& nvdimm) {
           return std::max(most, microseconds(nvdimm.power_record().recovery));
         });

  add.counter("nvdimm.nand.reads", "pages", "pages read from flash cells", {&S::page_reads});
  add.counter("nvdimm.nand.programs", "pages", "pages programmed", {&S::page_programs});
  add.counter("nvdimm.nand.erases", "blocks", "blocks erased", {&S::block_erases});
  add.counter("nvdimm.nand.multi_plane_operations", "operations",
              "operations on several planes of a LUN at once", {&S::multi_plane_operations});
  add.counter("nvdimm.nand.cache_operations", "operations",
              "operations whose cells began while the data of the one before moved, or waited to",
              {&S::cache_operations});
  add.counter("nvdimm.nand.suspensions", "operations",
              "times that a program or an erase was suspended for reads", {&S::suspensions});
  add.gauge("nvdimm.nand.bus_wait_us", "us",
            "time that LUNs waited for their flash channel, summed over them", 1e6,
            &S::bus_wait_ps);
  add.counter("nvdimm.nand.program_failures", "pages", "programs that failed",
              {&S::program_failures});
  add.counter("nvdimm.nand.erase_failures", "superblocks", "erases that failed",
              {&S::erase_failures});
  add.counter("nvdimm.nand.read_retries", "repetitions", "repetitions of reads",
              {&S::read_retries});
  record("nvdimm.nand.bad_blocks", "blocks", "blocks out of use, from the beginning or since",
         [](double sum, const Nvdimm& nvdimm) {
           return sum +
                  static_cast<double>(nvdimm.ftl().bad_blocks() * nvdimm.parameters().nand.planes);
         });
  const auto energy = [&registry, &nvdimms](const char* name, const char* description,
                                            double NandEnergy::*part) {
    registry.gauge(name, "J", description, [nvdimms, part] {
      double sum = 0;
      for (Nvdimm* nvdimm : nvdimms) {
        sum += nand_energy(nvdimm->parameters().nand, nvdimm->statistics(), nvdimm->now()).*part;
      }
      return sum;
    });
  };
  energy("nvdimm.nand.energy.read", "energy of cells that were read", &NandEnergy::read);
  energy("nvdimm.nand.energy.program", "energy of cells that were programmed",
         &NandEnergy::program);
  energy("nvdimm.nand.energy.erase", "energy of cells that were erased", &NandEnergy::erase);
  energy("nvdimm.nand.energy.bus", "energy of flash channels", &NandEnergy::bus);
  energy("nvdimm.nand.energy.standby", "energy that LUNs take always", &NandEnergy::standby);
  energy("nvdimm.nand.energy.total", "energy of flash chips", &NandEnergy::total);
  registry.gauge("nvdimm.nand.average_power", "W", "that energy over the time", [nvdimms] {
    double sum = 0;
    for (Nvdimm* nvdimm : nvdimms) {
      const Tick elapsed = nvdimm->now() - nvdimm->statistics().since;
      const double total =
          nand_energy(nvdimm->parameters().nand, nvdimm->statistics(), nvdimm->now()).total;
      sum += elapsed == Tick(0) ? 0 : total / seconds(elapsed);
    }
    return sum;
  });
  add.utilisation("nvdimm.nand.bus_utilisation", "share of time that a flash channel is taken",
                  &S::busy_buses, nvdimms.front()->flash().channels());
  add.utilisation("nvdimm.nand.lun_utilisation", "share of time that a LUN is busy", &S::busy_luns,
                  nvdimms.front()->ftl().shape().luns);
}

}  // namespace hmsim
