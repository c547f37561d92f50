// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/statistics.h"

#include <functional>
#include <utility>

#include "nvdimm/nvdimm.h"

namespace hmsim {

namespace {

// Registers over several NVDIMMs.
class Registrar {
 public:
  Registrar(StatisticRegistry& registry, std::vector<Nvdimm*> nvdimms)
      : registry_(registry), nvdimms_(std::move(nvdimms)) {}

  void counter(const char* name, const char* unit, const char* description,
               std::vector<Counter NvdimmStatistics::*> members) {
    std::vector<Counter*> sources;
    for (Nvdimm* nvdimm : nvdimms_) {
      for (const auto member : members) {
        sources.push_back(&(nvdimm->statistics().*member));
      }
    }
    registry_.counter(name, unit, description, std::move(sources));
  }

  void histogram(const char* name, const char* unit, const char* description, std::int64_t scale,
                 Histogram NvdimmStatistics::*member) {
    std::vector<Histogram*> sources;
    for (Nvdimm* nvdimm : nvdimms_) {
      sources.push_back(&(nvdimm->statistics().*member));
    }
    registry_.histogram(name, unit, description, scale, std::move(sources));
  }

  // Sums of counters, one over another.
  void ratio(const char* name, const char* description,
             std::vector<Counter NvdimmStatistics::*> above, Counter NvdimmStatistics::*below) {
    registry_.ratio(name, description, sum(std::move(above)), sum({below}));
  }

  // A mean number of busy things over their whole number.
  void utilisation(const char* name, const char* description, Occupancy NvdimmStatistics::*member,
                   std::int64_t whole) {
    registry_.gauge(name, "", description, [nvdimms = nvdimms_, member, whole] {
      double busy = 0;
      for (Nvdimm* nvdimm : nvdimms) {
        busy += (nvdimm->statistics().*member).mean(nvdimm->now());
      }
      return busy / static_cast<double>(whole) / static_cast<double>(nvdimms.size());
    });
  }

  void gauge(const char* name, const char* unit, const char* description, double scale,
             Counter NvdimmStatistics::*member) {
    registry_.gauge(name, unit, description,
                    [read = sum({member}), scale] { return read() / scale; });
  }

 private:
  std::function<double()> sum(std::vector<Counter NvdimmStatistics::*> members) const {
    return [nvdimms = nvdimms_, members = std::move(members)] {
      Counter total = 0;
      for (Nvdimm* nvdimm : nvdimms) {
        for (const auto member : members) {
          total += nvdimm->statistics().*member;
        }
      }
      return static_cast<double>(total);
    };
  }

  StatisticRegistry& registry_;
  std::vector<Nvdimm*> nvdimms_;
};

}  // namespace

void NvdimmStatistics::reset(Tick now) {
  Occupancy luns = std::move(busy_luns);
  Occupancy buses = std::move(busy_buses);
  *this = NvdimmStatistics(0, 0);
  busy_luns = std::move(luns);
  busy_buses = std::move(buses);
  busy_luns.reset(now);
  busy_buses.reset(now);
}

void register_nvdimm_statistics(StatisticRegistry& registry, std::vector<Nvdimm*> nvdimms) {
  if (nvdimms.empty()) {
    return;
  }
  using S = NvdimmStatistics;
  Registrar add(registry, nvdimms);
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

  add.ratio("nvdimm.ftl.waf", "write amplification: pages programmed for each page of the host",
            {&S::host_pages, &S::gc_pages}, &S::host_pages);
  add.counter("nvdimm.ftl.host_pages", "pages", "pages programmed for the host", {&S::host_pages});
  add.counter("nvdimm.ftl.gc_pages", "pages",
              "pages programmed by garbage collection and wear levelling", {&S::gc_pages});
  add.counter("nvdimm.ftl.levelled_blocks", "blocks", "blocks moved by static wear levelling",
              {&S::levelled_blocks});

  add.counter("nvdimm.gc.count", "collections", "blocks collected", {&S::gc_count});
  add.gauge("nvdimm.gc.blocked_us", "us",
            "time that page reads and write-backs stood in the queues of LUNs under collection, "
            "summed over them",
            1e6, &S::gc_blocked_ps);
  add.histogram("nvdimm.gc.duration_us", "us", "first copy to end of erase", 1'000'000,
                &S::gc_duration);
  add.histogram("nvdimm.gc.valid_pages", "pages", "valid pages of victim blocks", 1,
                &S::gc_valid_pages);

  add.counter("nvdimm.nand.reads", "pages", "pages read from flash cells", {&S::page_reads});
  add.counter("nvdimm.nand.programs", "pages", "pages programmed", {&S::page_programs});
  add.counter("nvdimm.nand.erases", "blocks", "blocks erased", {&S::block_erases});
  add.utilisation("nvdimm.nand.bus_utilisation", "share of time that a flash channel is taken",
                  &S::busy_buses, nvdimms.front()->flash().channels());
  add.utilisation("nvdimm.nand.lun_utilisation", "share of time that a LUN is busy", &S::busy_luns,
                  nvdimms.front()->ftl().shape().luns);
}

}  // namespace hmsim
