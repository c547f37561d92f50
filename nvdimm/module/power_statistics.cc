// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "nvdimm/module/module.h"

namespace hmsim {

namespace {

double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}

}  // namespace

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
  const auto millijoules = [](std::int64_t energy) { return static_cast<double>(energy) / 1e3; };
  largest("nvdimm.power.failures", "failures", "power failures since the system was built",
          [](const NvdimmModule& module) {
            return static_cast<double>(module.power_record().failures);
          });
  registry.gauge("nvdimm.power.spared_lines", "lines",
                 "writes in controllers' queues at power failures that NVDIMMs still received",
                 [modules] {
                   double lines = 0;
                   for (const NvdimmModule* module : modules) {
                     lines += static_cast<double>(module->power_record().spared_lines);
                   }
                   return lines;
                 });
  largest("nvdimm.power.hold_up_us", "us", "the longest time to save dirty data",
          [](const NvdimmModule& module) { return microseconds(module.power_record().hold_up); });
  largest("nvdimm.power.energy_mj", "mJ", "the largest energy of one NVDIMM to save dirty data",
          [millijoules](const NvdimmModule& module) {
            return millijoules(module.power_record().energy);
          });
  largest("nvdimm.power.worst_hold_up_us", "us",
          "worst-case time to save a write part full of dirty pages that must be completed from "
          "one LUN, or a write queue full of lines of one bank, and a controller's queue full of "
          "spared writes; without collections",
          [](const NvdimmModule& module) { return microseconds(module.worst_hold_up()); });
  largest("nvdimm.power.worst_energy_mj", "mJ", "energy of one NVDIMM for the worst hold-up",
          [millijoules](const NvdimmModule& module) {
            return millijoules(flush_energy(module.parameters().power, module.worst_hold_up()));
          });
}

}  // namespace hmsim
