// SPDX-License-Identifier: BSD-3-Clause
// Which statistics does an NVDIMM report, and are their values right?
#include <gtest/gtest.h>

#include <string>

#include "core/errors.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

Statistic find(const StatisticRegistry& registry, const std::string& path) {
  for (const Statistic& statistic : registry.read()) {
    if (statistic.path == path) {
      return statistic;
    }
  }
  throw InputError("no statistic " + path);
}

TEST(NvdimmStatistics, ReadSeveralNvdimmsAsOne) {
  Rig first{NvdimmParameters()};
  Rig second{NvdimmParameters()};
  StatisticRegistry registry;
  register_flash_statistics(registry, {&first.nvdimm(), &second.nvdimm()});
  EXPECT_FALSE(find(registry, "nvdimm.buffer.read_hit_ratio").present);
  EXPECT_FALSE(find(registry, "nvdimm.ftl.waf").present);

  first.read(0);
  second.read(0);
  second.read(0, 1);
  second.read(0, 2);
  EXPECT_EQ(find(registry, "nvdimm.nand.reads").count, 2u);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.buffer.read_hit_ratio").value, 0.5);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.buffer.read_hit_ratio_strict").value, 0.5);

  registry.reset(first.now());
  EXPECT_EQ(find(registry, "nvdimm.nand.reads").count, 0u);
  EXPECT_FALSE(find(registry, "nvdimm.buffer.read_hit_ratio").present);
}

TEST(NvdimmStatistics, UtilisationIsBusyTimeOverAllTime) {
  Rig rig{NvdimmParameters()};
  StatisticRegistry registry;
  register_flash_statistics(registry, {&rig.nvdimm()});
  rig.read(0);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.lun_utilisation").value, 70.780 / 70.832 / 8);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.bus_utilisation").value, 20.780 / 70.832 / 4);
  registry.reset(rig.now());
  rig.read(0);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.lun_utilisation").value, 0);
}

TEST(NvdimmStatistics, EnergyIsThatSinceTheReset) {
  Rig rig{NvdimmParameters()};
  StatisticRegistry registry;
  register_flash_statistics(registry, {&rig.nvdimm()});
  rig.read(0);
  const Tick reset = rig.now();
  registry.reset(reset);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.energy.total").value, 0);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.average_power").value, 0);
  rig.read(1);
  // 8 LUNs draw 10 uA at 3.3 V each, the cells 25 mA while being read, and a bus 10 mA.
  const double time = static_cast<double>((rig.now() - reset).value()) * 1e-12;
  const double standby = 8 * 10e-6 * 3.3 * time;
  const double read = 25e-3 * 3.3 * 50e-6;
  const double bus = 10e-3 * 3.3 * 20.78e-6;
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.energy.standby").value, standby);
  EXPECT_NEAR(find(registry, "nvdimm.nand.energy.read").value, read, 1e-12);
  EXPECT_NEAR(find(registry, "nvdimm.nand.energy.bus").value, bus, 1e-12);
  EXPECT_NEAR(find(registry, "nvdimm.nand.energy.total").value, standby + read + bus, 1e-12);
  EXPECT_NEAR(find(registry, "nvdimm.nand.average_power").value, (standby + read + bus) / time,
              1e-6);
}

TEST(NvdimmStatistics, WriteAmplificationCountsHostAndCollectedPages) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 2;
  Rig rig(parameters);
  StatisticRegistry registry;
  register_flash_statistics(registry, {&rig.nvdimm()});
  EXPECT_EQ(find(registry, "nvdimm.ftl.host_pages").count, 0u) << "preconditioning is not counted";
  for (std::int64_t i = 0; i < 400; ++i) {
    rig.write_page(i * 37 % 150);
  }
  const auto host = static_cast<double>(find(registry, "nvdimm.ftl.host_pages").count);
  const auto copied = static_cast<double>(find(registry, "nvdimm.ftl.gc_pages").count);
  EXPECT_GT(copied, 0);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.waf").value, (host + copied) / host);
  EXPECT_EQ(static_cast<double>(find(registry, "nvdimm.nand.programs").count), host + copied);
  EXPECT_EQ(find(registry, "nvdimm.gc.duration_us").count, find(registry, "nvdimm.gc.count").count);
}

// A page that is read once, line by line, has no hit, whenever its lines are asked for.
TEST(NvdimmStatistics, LinesOfAFlashReadAreNoHitsUntilTheyAreReadAgain) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 1;
  for (const std::int64_t outstanding : {1, 4, 64}) {
    Rig rig(parameters);
    StatisticRegistry registry;
    register_flash_statistics(registry, {&rig.nvdimm()});
    const auto read_pages = [&](std::int64_t first, std::int64_t pages) {
      rig.run(64 * pages, outstanding, [first](std::int64_t i, Address& address, bool& write) {
        address = line_address(first + i / 64, i % 64);
        write = false;
      });
    };
    read_pages(0, 20);
    EXPECT_EQ(find(registry, "nvdimm.nand.reads").count, 20u);
    EXPECT_EQ(find(registry, "nvdimm.buffer.read_reuse_ratio").value, 0);
    EXPECT_EQ(find(registry, "nvdimm.buffer.lines_per_flash_read").value, 64);
    EXPECT_EQ(find(registry, "nvdimm.buffer.read_hit_ratio").value, 63.0 / 64);
    read_pages(19, 1);
    EXPECT_EQ(find(registry, "nvdimm.buffer.read_reuse_ratio").value, 1.0 / 21);
    rig.write(100, 5);
    rig.read(100, 5);
    EXPECT_EQ(find(registry, "nvdimm.buffer.read_reuse_ratio").value, 65.0 / (21 * 64 + 1));
    EXPECT_EQ(find(registry, "nvdimm.buffer.write_reuse_ratio").value, 0);
  }
}

}  // namespace
}  // namespace hmsim
