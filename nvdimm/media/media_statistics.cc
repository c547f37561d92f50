// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_statistics.h"

#include <array>
#include <string>
#include <utility>

#include "core/statistic_sums.h"
#include "core/statistic_table.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

namespace {

using Modules = std::vector<MediaModule*>;
using Table = StatisticTable<MediaModule, MediaStatistics>;
using S = MediaStatistics;

constexpr double kPicojoules = 1e-12;

double line_energy(const MediaModule& module, double picojoules, Counter lines) {
  const auto bits = static_cast<double>(8 * module.media().line.value());
  return static_cast<double>(lines) * bits * picojoules * kPicojoules;
}

double read_energy(MediaModule& module) {
  const MediaStatistics& counts = module.statistics();
  return line_energy(module, module.media().technology.read_energy,
                     counts.reads + counts.updates + counts.gap_moves);
}

double write_energy(MediaModule& module) {
  const MediaStatistics& counts = module.statistics();
  return line_energy(module, module.media().technology.write_energy,
                     counts.writes + counts.gap_moves);
}

// Reports the buffers of media lines, if there are any.
void report_buffers(StatisticRegistry& registry, const Modules& all) {
  Modules modules;
  for (MediaModule* const module : all) {
    if (module->media().buffers_lines()) {
      modules.push_back(module);
    }
  }
  if (modules.empty()) {
    return;
  }
  const auto counter = [&](Counter S::*field, const char* name, const char* unit,
                           const char* description) {
    registry.counter(std::string("nvdimm.media.") + name, unit, description,
                     members_of(modules, [field](MediaModule& module) -> Counter& {
                       return module.statistics().*field;
                     }));
  };
  counter(&S::buffer_reads, "buffer_reads", "commands",
          "reads answered from the read buffer or the combining buffer");
  counter(&S::joined_reads, "joined_reads", "commands",
          "reads answered by a read of their media line for an earlier command");
  counter(&S::buffer_writes, "buffer_writes", "commands",
          "writes that the combining buffer took from the write queue");
  counter(&S::updates, "updates", "lines",
          "media lines read before they were written, because the host had written a part");
  registry.ratio("nvdimm.media.amplification",
                 "bytes written to the cells for each byte that the host wrote",
                 sum_over(modules,
                          [](MediaModule& module) {
                            const S& counts = module.statistics();
                            return static_cast<double>(counts.writes + counts.gap_moves) *
                                   static_cast<double>(module.media().sectors());
                          }),
                 sum_over(modules, [](MediaModule& module) {
                   return module.statistics().buffer_writes + module.statistics().merged_writes;
                 }));
}

void report_wear(StatisticRegistry& registry, const Modules& modules) {
  const auto most =
      largest_of(modules, [](const MediaModule& module) { return module.cells().most_worn(); });
  const auto wear =
      sum_over(modules, [](const MediaModule& module) { return module.cells().wear(); });
  const auto places =
      sum_over(modules, [](const MediaModule& module) { return module.cells().places(); });
  const auto mean = [wear, places] { return wear() / places(); };
  registry.gauge("nvdimm.media.wear.max", "writes",
                 "writes to the most worn line of cells, since the system was built", most);
  registry.gauge("nvdimm.media.wear.mean", "writes", "mean over all lines of cells", mean);
  registry.ratio("nvdimm.media.wear.spread", "wear.max over wear.mean", most, mean);
}

std::int64_t queue_entries(const MediaModule& module) { return module.media().write_queue; }
std::int64_t banks(const MediaModule& module) { return module.media().banks; }

constexpr std::array kRows{
    Table::counter<&S::reads>("reads", "lines", "lines read from the cells"),
    Table::counter<&S::writes>("writes", "lines", "lines written to the cells for the host"),
    Table::counter<&S::queue_reads>("queue_reads", "commands",
                                    "reads answered from the write queue"),
    Table::counter<&S::merged_writes>("merged_writes", "commands",
                                      "writes to lines that were already in the write queue"),
    Table::counter<&S::queue_full>("queue_full", "commands",
                                   "writes that waited for the write queue"),
    Table::utilisation<&S::queue, queue_entries>("queue_occupancy",
                                                 "mean share of the write queue that is in use"),
    Table::utilisation<&S::busy_banks, banks>("bank_utilisation",
                                              "share of time that a bank is busy"),
    Table::counter<&S::gap_moves>("gap_moves", "lines", "lines copied by start-gap wear levelling"),
    Table::scaled<&S::gap_blocked_ps>(
        "gap_blocked_us", "us",
        "time that reads waited while their bank moved a line, summed over the reads", 1'000'000),
    Table::ratio<&S::writes, &S::writes, &S::gap_moves>(
        "waf",
        "write amplification by wear levelling: lines written, with moves, for each written for "
        "the host"),
    Table::derived(report_wear),
    Table::part<&S::buffer_reads>(),
    Table::part<&S::joined_reads>(),
    Table::part<&S::buffer_writes>(),
    Table::part<&S::updates>(),
    Table::derived(report_buffers),
    Table::total<read_energy>("energy.read", "J", "energy of reads from cells"),
    Table::total<write_energy>("energy.write", "J", "energy of writes to cells"),
    Table::total<read_energy, write_energy>("energy.total", "J", "energy of cells"),
};

static_assert(Table::complete(kRows), "missing or duplicate row of a count");

}  // namespace

void MediaStatistics::serialize(Archive& archive) { Table::serialize(*this, archive, kRows); }

void MediaStatistics::reset(Tick now) {
  Occupancy banks = std::move(busy_banks);
  Occupancy entries = std::move(queue);
  *this = MediaStatistics(0, 0);
  busy_banks = std::move(banks);
  queue = std::move(entries);
  busy_banks.reset(now);
  queue.reset(now);
}

void register_media_statistics(StatisticRegistry& registry, const NvdimmModules& all) {
  Modules modules;
  for (NvdimmModule* module : all) {
    modules.push_back(static_cast<MediaModule*>(module));
  }
  registry.on_reset([modules](Tick now) {
    for (MediaModule* module : modules) {
      module->statistics().reset(now);
    }
  });
  Table::report(kRows, registry, modules, "nvdimm.media.");
  register_power_statistics(registry, all);
  registry.gauge("nvdimm.power.saved_lines", "lines", "lines saved at power failures",
                 sum_over(modules, [](const MediaModule& module) {
                   return module.power_record().saved_lines;
                 }));
}

}  // namespace hmsim
