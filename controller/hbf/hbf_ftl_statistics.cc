// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "controller/hbf/hbf_channel.h"
#include "controller/hbf/hbf_ftl.h"

namespace hmsim {

void register_hbf_ftl_statistics(StatisticRegistry& registry, const std::vector<HbfFtl*>& ftls,
                                 const std::vector<HbfChannel*>& channels) {
  if (ftls.empty()) {
    return;
  }
  const auto counter = [&](const char* name, const char* description, auto read,
                           const char* unit = "requests") {
    std::vector<Counter*> counters;
    for (HbfFtl* ftl : ftls) {
      counters.push_back(&read(*ftl));
    }
    registry.counter(name, unit, description, std::move(counters));
  };
  counter("hbf.gc.flash_reads", "page reads of the collector",
          [](HbfFtl& ftl) -> Counter& { return ftl.copier().counts().flash_reads; });
  counter("hbf.gc.flash_writes", "page writes of the collector",
          [](HbfFtl& ftl) -> Counter& { return ftl.copier().counts().flash_writes; });
  counter("hbf.gc.hbm_reads", "HBM lines that the collector reads",
          [](HbfFtl& ftl) -> Counter& { return ftl.copier().counts().line_reads; });
  counter("hbf.gc.hbm_writes", "HBM lines that the collector writes",
          [](HbfFtl& ftl) -> Counter& { return ftl.copier().counts().line_writes; });
  counter("hbf.map.hbm_reads", "HBM lines of the map that are read",
          [](HbfFtl& ftl) -> Counter& { return ftl.map_reads(); });
  counter("hbf.map.hbm_writes", "HBM lines of the map that are written",
          [](HbfFtl& ftl) -> Counter& { return ftl.map_writes(); });
  using Gathered = HbfGatherer::Counts;
  const auto gathered = [&](const char* name, const char* description, Counter Gathered::*count,
                            const char* unit = "requests") {
    counter(
        name, description,
        [count](HbfFtl& ftl) -> Counter& { return ftl.gatherer().counts().*count; }, unit);
  };
  gathered("hbf.parts.writes",
           "writes taken by the host's page buffers: below 4 KiB, or of a page that gathers",
           &Gathered::writes);
  gathered("hbf.parts.written", "of hbf.parts.writes, answered by the write of their page",
           &Gathered::written);
  gathered("hbf.parts.discarded", "of hbf.parts.writes, answered because their page was trimmed",
           &Gathered::discarded);
  gathered("hbf.parts.pages", "pages written from the host's page buffers", &Gathered::pages,
           "pages");
  gathered("hbf.parts.fills", "of hbf.parts.pages, pages whose missing parts were read",
           &Gathered::fills, "pages");
  gathered("hbf.parts.padded", "of hbf.parts.pages, incomplete pages without older data",
           &Gathered::padded, "pages");
  std::vector<Histogram*> latencies;
  for (HbfFtl* ftl : ftls) {
    latencies.push_back(&ftl->gatherer().counts().latency);
  }
  constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
  registry.histogram("hbf.parts.latency_ns", "ns",
                     "of hbf.parts.written, from arrival to answer; nvdimm.line_latency_ns is that "
                     "of their pages",
                     kPicosecondsPerNanosecond, std::move(latencies));
  gathered("hbf.parts.reads", "reads answered from the host's page buffers", &Gathered::reads);
  counter(
      "hbf.refresh.blocks", "blocks rewritten for a refresh",
      [](HbfFtl& ftl) -> Counter& { return ftl.collector().counts().refreshed_blocks; }, "blocks");
  counter(
      "hbf.refresh.late", "blocks whose refresh began later than hbf.refresh_every",
      [](HbfFtl& ftl) -> Counter& { return ftl.refresher().late(); }, "blocks");
  counter(
      "hbf.refresh.pages", "pages programmed for a refresh",
      [](HbfFtl& ftl) -> Counter& { return ftl.collector().counts().refreshed_pages; }, "pages");
  counter(
      "hbf.replay.blocks", "blocks with a failed program whose pages were copied",
      [](HbfFtl& ftl) -> Counter& { return ftl.collector().counts().replayed_blocks; }, "blocks");
  counter(
      "hbf.replay.pages", "pages programmed for a replay",
      [](HbfFtl& ftl) -> Counter& { return ftl.collector().counts().replayed_pages; }, "pages");
  counter("hbf.replay.writes", "users' writes repeated after a failed program of their block",
          [](HbfFtl& ftl) -> Counter& { return ftl.rewrites(); });
  counter("hbf.replay.copies", "copies written again after a failed program of their block",
          [](HbfFtl& ftl) -> Counter& { return ftl.copier().counts().rewrites; });
  std::vector<Ftl*> tables;
  std::vector<FlashArray*> arrays;
  for (HbfFtl* ftl : ftls) {
    tables.push_back(&ftl->ftl());
  }
  for (HbfChannel* channel : channels) {
    arrays.push_back(&channel->device().flash());
  }
  register_ftl_statistics(registry, tables, arrays);
  registry.on_reset([ftls](Tick /*now*/) {
    for (HbfFtl* ftl : ftls) {
      ftl->reset_statistics();
    }
  });
}

}  // namespace hmsim
