// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/module.h"

#include <algorithm>

#include "core/preset_table.h"

namespace hmsim {

namespace {

double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}

}  // namespace

// Read and write times: Caulfield et al., "Understanding the Impact of Emerging Non-Volatile
// Memories on High-Performance, IO-Intensive Computing" (SC 2010). Energies of PCM: Caulfield et
// al., "Moneta" (MICRO 2010); neither gives those of STT-RAM.
constexpr std::array<NvdimmKindEntry, 3> kNvdimmKinds{{
    {"flash", NvdimmKind::flash, {}, &kFlashDesign},
    {"pcm", NvdimmKind::pcm, {Tick(67'500), Tick(215'000), 2.47, 16.82}, &kMediaDesign},
    {"sttram", NvdimmKind::sttram, {Tick(29'500), Tick(95'000), 0, 0}, &kMediaDesign},
}};
static_assert(in_order(kNvdimmKinds));

void register_power_statistics(StatisticRegistry& registry, const NvdimmModules& modules) {
  const auto largest = [&registry, &modules](const char* name, const char* unit,
                                             const char* description, auto read) {
    registry.gauge(name, unit, description, [modules, read] {
      double most = 0;
      for (const NvdimmModule* module : modules) {
        most = std::max(most, read(*module));
      }
      return most;
    });
  };
  const auto worst = [](const NvdimmModule& module) {
    return design_of(module.parameters().kind).worst_hold_up(module.parameters());
  };
  const auto millijoules = [](std::int64_t energy) { return static_cast<double>(energy) / 1e3; };
  largest("nvdimm.power.failures", "failures", "power failures since the system was built",
          [](const NvdimmModule& module) {
            return static_cast<double>(module.power_record().failures);
          });
  registry.gauge("nvdimm.power.spared_lines", "lines",
                 "writes that controllers' queues held at power failures and NVDIMMs still got",
                 [modules] {
                   double lines = 0;
                   for (const NvdimmModule* module : modules) {
                     lines += static_cast<double>(module->power_record().spared_lines);
                   }
                   return lines;
                 });
  largest("nvdimm.power.hold_up_us", "us", "the longest time that dirty data took to be saved",
          [](const NvdimmModule& module) { return microseconds(module.power_record().hold_up); });
  largest("nvdimm.power.energy_mj", "mJ", "the largest energy for that of one NVDIMM",
          [millijoules](const NvdimmModule& module) {
            return millijoules(module.power_record().energy);
          });
  largest("nvdimm.power.worst_hold_up_us", "us",
          "time to save a write part full of dirty pages that must be completed from one LUN, or a "
          "write queue full of lines of one bank, and a controller's queue full of writes that are "
          "spared; collections left out",
          [worst](const NvdimmModule& module) { return microseconds(worst(module)); });
  largest("nvdimm.power.worst_energy_mj", "mJ", "energy of one NVDIMM for that",
          [worst, millijoules](const NvdimmModule& module) {
            return millijoules(flush_energy(module.parameters().power, worst(module)));
          });
}

}  // namespace hmsim
