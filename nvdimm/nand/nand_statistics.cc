// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_statistics.h"

#include <array>
#include <utility>

#include "core/statistic_table.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

using Table = StatisticTable<FlashArray, NandStatistics>;
using S = NandStatistics;

template <double NandEnergy::*kPart>
double energy(const FlashArray& array) {
  return array.energy().*kPart;
}

double average_power(const FlashArray& array) {
  const Tick elapsed = array.now() - array.statistics().since;
  return elapsed == Tick(0) ? 0 : array.energy().total / seconds(elapsed);
}

constexpr std::array kRows{
    Table::part<&S::gc_blocked_ps>(),
    Table::part<&S::gc_suspensions>(),
    Table::counter<&S::page_reads>("reads", "pages", "flash pages read from their cells"),
    Table::counter<&S::shared_reads>("shared_reads", "reads",
                                     "reads of a flash page that was sensed for another read"),
    Table::counter<&S::page_programs>("programs", "pages", "flash pages programmed"),
    Table::counter<&S::block_erases>("erases", "blocks", "blocks erased"),
    Table::counter<&S::multi_plane_operations>("multi_plane_operations", "operations",
                                               "operations on several planes of a LUN at once"),
    Table::counter<&S::cache_operations>(
        "cache_operations", "operations",
        "operations whose cells began while the data of the one before moved or waited"),
    Table::counter<&S::suspensions>("suspensions", "operations",
                                    "times that a program or an erase was suspended for reads"),
    Table::scaled<&S::bus_wait_ps>(
        "bus_wait_us", "us", "time that LUNs waited for their flash channel, summed over them",
        1'000'000),
    Table::counter<&S::program_failures>("program_failures", "pages", "programs that failed"),
    Table::counter<&S::erase_failures>("erase_failures", "superblocks", "erases that failed"),
    Table::counter<&S::read_retries>("read_retries", "repetitions", "repetitions of reads"),
    Table::total<&FlashArray::bad_blocks>("bad_blocks", "blocks",
                                          "blocks out of use, from the beginning or since"),
    Table::part<&S::read_cells_ps>(),
    Table::part<&S::program_cells_ps>(),
    Table::part<&S::erase_cells_ps>(),
    Table::part<&S::since>(),
    Table::total<energy<&NandEnergy::read>>("energy.read", "J", "energy of reads from cells"),
    Table::total<energy<&NandEnergy::program>>("energy.program", "J", "energy of programs"),
    Table::total<energy<&NandEnergy::erase>>("energy.erase", "J", "energy of erases"),
    Table::total<energy<&NandEnergy::bus>>("energy.bus", "J", "energy of flash channels"),
    Table::total<energy<&NandEnergy::standby>>("energy.standby", "J", "standby energy of LUNs"),
    Table::total<energy<&NandEnergy::total>>("energy.total", "J", "energy of flash chips"),
    Table::total<average_power>("average_power", "W", "energy of flash chips per time"),
    Table::utilisation<&S::busy_buses, &FlashArray::channels>(
        "bus_utilisation", "share of time that a flash channel is busy"),
    Table::utilisation<&S::busy_luns, &FlashArray::luns>("lun_utilisation",
                                                         "share of time that a LUN is busy"),
};

static_assert(Table::complete(kRows), "missing or duplicate row of a count");

}  // namespace

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

void NandStatistics::serialize(Archive& archive) { Table::serialize(*this, archive, kRows); }

void NandStatistics::reset(Tick now) {
  Occupancy luns = std::move(busy_luns);
  Occupancy buses = std::move(busy_buses);
  *this = NandStatistics(0, 0);
  busy_luns = std::move(luns);
  busy_buses = std::move(buses);
  busy_luns.reset(now);
  busy_buses.reset(now);
  since = now;
}

void register_nand_statistics(StatisticRegistry& registry, const std::vector<FlashArray*>& arrays) {
  Table::report(kRows, registry, arrays, "nvdimm.nand.");
}

}  // namespace hmsim
