// SPDX-License-Identifier: BSD-3-Clause
#include "core/statistic_sums.h"
#include "nvdimm/module/module.h"

namespace hmsim {

void register_power_statistics(StatisticRegistry& registry, const NvdimmModules& modules) {
  const auto largest = [&](const char* name, const char* unit, const char* description, auto read) {
    registry.gauge(name, unit, description, largest_of(modules, read));
  };
  const auto millijoules = [](std::int64_t energy) { return static_cast<double>(energy) / 1e3; };
  largest("nvdimm.power.failures", "failures", "power failures since the system was built",
          [](const NvdimmModule& module) { return module.power_record().failures; });
  registry.gauge("nvdimm.power.spared_lines", "lines",
                 "writes in controllers' queues at power failures that NVDIMMs still received",
                 sum_over(modules, [](const NvdimmModule& module) {
                   return module.power_record().spared_lines;
                 }));
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
