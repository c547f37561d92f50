// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_energy.h"

namespace hmsim {

NandEnergy nand_energy(const NandEnergyParameters& parameters, std::int64_t luns,
                       const NandStatistics& statistics, Tick now) {
  constexpr double kMicro = 1e-6;
  constexpr double kMilli = 1e-3;
  const double elapsed = seconds(now - statistics.since);
  const auto joules = [&parameters](std::int64_t current, double time) {
    return static_cast<double>(current) * kMicro * static_cast<double>(parameters.vcc) * kMilli *
           time;
  };
  const auto cells = [](Counter time) { return seconds(Tick(static_cast<std::int64_t>(time))); };
  NandEnergy energy;
  energy.read = joules(parameters.icc_read, cells(statistics.read_cells_ps));
  energy.program = joules(parameters.icc_program, cells(statistics.program_cells_ps));
  energy.erase = joules(parameters.icc_erase, cells(statistics.erase_cells_ps));
  energy.bus = joules(parameters.icc_bus, statistics.busy_buses.mean(now) * elapsed);
  energy.standby = joules(parameters.standby, static_cast<double>(luns) * elapsed);
  energy.total = energy.read + energy.program + energy.erase + energy.bus + energy.standby;
  return energy;
}

}  // namespace hmsim
