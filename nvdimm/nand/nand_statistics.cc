// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_statistics.h"

#include <array>
#include <utility>

#include "core/statistic_sums.h"
#include "core/statistic_table.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

using Arrays = std::vector<FlashArray*>;
using Table = StatisticTable<FlashArray, NandStatistics>;
using S = NandStatistics;

void report_bad_blocks(StatisticRegistry& registry, const Arrays& arrays) {
  registry.gauge("nvdimm.nand.bad_blocks", "blocks",
                 "blocks out of use, from the beginning or since",
                 sum_over(arrays, [](const FlashArray& array) { return array.bad_blocks(); }));
}

void report_energy(StatisticRegistry& registry, const Arrays& arrays) {
  const auto energy = [&](const char* name, const char* description, double NandEnergy::*part) {
    registry.gauge(name, "J", description, sum_over(arrays, [part](const FlashArray& array) {
                     return array.energy().*part;
                   }));
  };
  energy("nvdimm.nand.energy.read", "energy of reads from cells", &NandEnergy::read);
  energy("nvdimm.nand.energy.program", "energy of programs", &NandEnergy::program);
  energy("nvdimm.nand.energy.erase", "energy of erases", &NandEnergy::erase);
  energy("nvdimm.nand.energy.bus", "energy of flash channels", &NandEnergy::bus);
  energy("nvdimm.nand.energy.standby", "standby energy of LUNs", &NandEnergy::standby);
  energy("nvdimm.nand.energy.total", "energy of flash chips", &NandEnergy::total);
  registry.gauge("nvdimm.nand.average_power", "W", "energy of flash chips per time",
                 sum_over(arrays, [](const FlashArray& array) {
                   const Tick elapsed = array.now() - array.statistics().since;
                   return elapsed == Tick(0) ? 0 : array.energy().total / seconds(elapsed);
                 }));
}

std::int64_t buses(const FlashArray& array) { return array.channels(); }
std::int64_t luns(const FlashArray& array) { return array.luns(); }

constexpr std::array kRows{
    Table::part<&S::gc_blocked_ps>(),
    Table::part<&S::gc_suspensions>(),
    Table::counter<&S::page_reads>("nvdimm.nand.reads", "pages",
                                   "flash pages read from their cells"),
    Table::counter<&S::shared_reads>("nvdimm.nand.shared_reads", "reads",
                                     "reads of a flash page that was sensed for another read"),
    Table::counter<&S::page_programs>("nvdimm.nand.programs", "pages", "flash pages programmed"),
    Table::counter<&S::block_erases>("nvdimm.nand.erases", "blocks", "blocks erased"),
    Table::counter<&S::multi_plane_operations>("nvdimm.nand.multi_plane_operations", "operations",
                                               "operations on several planes of a LUN at once"),
    Table::counter<&S::cache_operations>(
        "nvdimm.nand.cache_operations", "operations",
        "operations whose cells began while the data of the one before moved or waited"),
    Table::counter<&S::suspensions>("nvdimm.nand.suspensions", "operations",
                                    "times that a program or an erase was suspended for reads"),
    Table::scaled<&S::bus_wait_ps>(
        "nvdimm.nand.bus_wait_us", "us",
        "time that LUNs waited for their flash channel, summed over them", 1'000'000),
    Table::counter<&S::program_failures>("nvdimm.nand.program_failures", "pages",
                                         "programs that failed"),
    Table::counter<&S::erase_failures>("nvdimm.nand.erase_failures", "superblocks",
                                       "erases that failed"),
    Table::counter<&S::read_retries>("nvdimm.nand.read_retries", "repetitions",
                                     "repetitions of reads"),
    Table::derived(report_bad_blocks),
    Table::part<&S::read_cells_ps>(),
    Table::part<&S::program_cells_ps>(),
    Table::part<&S::erase_cells_ps>(),
    Table::part<&S::since>(),
    Table::derived(report_energy),
    Table::utilisation<&S::busy_buses>("nvdimm.nand.bus_utilisation",
                                       "share of time that a flash channel is busy", buses),
    Table::utilisation<&S::busy_luns>("nvdimm.nand.lun_utilisation",
                                      "share of time that a LUN is busy", luns),
};

static_assert(Table::complete(kRows), "missing or duplicate row of a count");

}  // namespace

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
  Table::report(kRows, registry, arrays);
}

}  // namespace hmsim
