// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_statistics.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "nvdimm/media/media_module.h"
#include "nvdimm/registrar.h"

namespace hmsim {

namespace {

constexpr double kPicojoules = 1e-12;
constexpr double kLineBits = 512;

double line_energy(double picojoules, Counter lines) {
  return static_cast<double>(lines) * kLineBits * picojoules * kPicojoules;
}

double read_energy(MediaModule& module) {
  const MediaStatistics& counts = module.statistics();
  return line_energy(module.parameters().media.technology.read_energy,
                     counts.reads + counts.gap_moves);
}

double write_energy(MediaModule& module) {
  const MediaStatistics& counts = module.statistics();
  return line_energy(module.parameters().media.technology.write_energy,
                     counts.writes + counts.gap_moves);
}

}  // namespace

std::uint64_t WearCounts::add(std::uint64_t place) {
  const auto number = static_cast<std::int64_t>(place / kPlaces);
  std::uint32_t chunk = map_.find(number);
  if (chunk == kNoIndex) {
    chunk = static_cast<std::uint32_t>(chunks_.size());
    chunks_.push_back({number, {}});
    map_.insert(number, chunk);
  }
  return ++chunks_[chunk].second[place % kPlaces];
}

void WearCounts::serialize(Archive& archive) {
  archive(chunks_);
  if (!archive.loading()) {
    return;
  }
  map_.clear();
  for (std::uint32_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    archive.check(map_.find(chunks_[chunk].first) == kNoIndex, "wear is counted twice");
    map_.insert(chunks_[chunk].first, chunk);
  }
}

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
  std::vector<MediaModule*> modules;
  for (NvdimmModule* module : all) {
    modules.push_back(static_cast<MediaModule*>(module));
  }
  using S = MediaStatistics;
  Registrar<MediaModule, S> add(registry, modules);
  registry.on_reset([modules](Tick now) {
    for (MediaModule* module : modules) {
      module->reset_statistics(now);
    }
  });

  add.counter("nvdimm.media.reads", "lines", "lines read from the cells", {&S::reads});
  add.counter("nvdimm.media.writes", "lines", "lines written to the cells for the host",
              {&S::writes});
  add.counter("nvdimm.media.queue_reads", "commands", "reads answered from the write queue",
              {&S::queue_reads});
  add.counter("nvdimm.media.merged_writes", "commands",
              "writes to lines that were in the write queue already", {&S::merged_writes});
  add.counter("nvdimm.media.queue_full", "commands", "writes that waited for the write queue",
              {&S::queue_full});
  add.utilisation("nvdimm.media.queue_occupancy", "mean share of the write queue that is in use",
                  &S::queue, modules.front()->parameters().media.write_queue);
  add.utilisation("nvdimm.media.bank_utilisation", "share of time that a bank is busy",
                  &S::busy_banks, modules.front()->parameters().media.banks);
  add.counter("nvdimm.media.gap_moves", "lines", "lines copied by start-gap wear levelling",
              {&S::gap_moves});
  add.gauge("nvdimm.media.gap_blocked_us", "us",
            "time that reads waited while their bank moved a gap, summed over them", 1e6,
            &S::gap_blocked_ps);
  add.ratio("nvdimm.media.waf", "write amplification: lines written for each line of the host",
            {&S::writes, &S::gap_moves}, &S::writes);

  const auto sum = [modules](auto read) {
    return [modules, read] {
      double total = 0;
      for (MediaModule* module : modules) {
        total += static_cast<double>(read(*module));
      }
      return total;
    };
  };
  const auto most = [modules] {
    std::uint64_t worst = 0;
    for (const MediaModule* module : modules) {
      worst = std::max(worst, module->most_worn());
    }
    return static_cast<double>(worst);
  };
  const auto mean = [wear = sum([](const MediaModule& module) { return module.wear(); }),
                     places = sum([](const MediaModule& module) { return module.places(); })] {
    return wear() / places();
  };
  registry.gauge("nvdimm.media.wear.max", "writes",
                 "writes to the most worn line of cells, since the system was built", most);
  registry.gauge("nvdimm.media.wear.mean", "writes", "mean over all lines of cells", mean);
  registry.ratio("nvdimm.media.wear.spread", "wear.max over wear.mean", most, mean);

  const auto energies = std::make_pair(sum(read_energy), sum(write_energy));
  registry.gauge("nvdimm.media.energy.read", "J", "energy of cells that were read", energies.first);
  registry.gauge("nvdimm.media.energy.write", "J", "energy of cells that were written",
                 energies.second);
  registry.gauge("nvdimm.media.energy.total", "J", "energy of cells",
                 [energies] { return energies.first() + energies.second(); });

  register_power_statistics(registry, all);
  registry.gauge("nvdimm.power.saved_lines", "lines", "lines saved at power failures",
                 sum([](const MediaModule& module) { return module.power_record().saved_lines; }));
}

}  // namespace hmsim
