// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/module/power_record.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "core/statistic_sums.h"
#include "nvdimm/module/module.h"

namespace hmsim {

void PowerRecord::fail(const PowerParameters& parameters, Tick save) {
  ++failures;
  hold_up = later(hold_up, save);
  energy = std::max(energy, flush_energy(parameters, save));
  drained += save;
  const std::int64_t spent = flush_energy(parameters, drained);
  if (parameters.energy != kEnoughEnergy && spent > parameters.energy * kMicrojoulesPerMillijoule) {
    throw InputError("nvdimm.power.energy: " + std::to_string(parameters.energy) +
                     " mJ is too little for " +
                     std::to_string(share(spent, kMicrojoulesPerMillijoule)) +
                     " mJ of saves since the last complete recovery");
  }
}

Tick longest(const std::vector<PowerLane>& lanes) {
  Tick time{0};
  for (const PowerLane& lane : lanes) {
    time = later(time, lane.time());
  }
  return time;
}

std::int64_t flush_energy(const PowerParameters& parameters, Tick hold_up) {
  // 1 mW for 1 us is 1 nJ.
  constexpr std::int64_t kNanojoules = 1000;
  const std::int64_t microseconds = share(hold_up.value(), kMicrosecond.value());
  return share(microseconds * parameters.draw, kNanojoules);
}

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
