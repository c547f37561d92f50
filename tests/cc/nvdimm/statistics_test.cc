// SPDX-License-Identifier: BSD-3-Clause
// Which statistics does an NVDIMM report, and are their values right?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/statistic.h"

namespace hmsim {
namespace {

Statistic find(const StatisticRegistry& registry, const std::string& path) {
  return testing::statistic_of(registry, path);
}

TEST(NvdimmStatistics, ReadSeveralNvdimmsAsOne) {
  Rig first{plain_nvdimm()};
  Rig second{plain_nvdimm()};
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
  Rig rig{plain_nvdimm()};
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
  Rig rig{plain_nvdimm()};
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

// Writes back everything that the buffer holds.
void flush(Rig& rig) {
  const std::size_t seen = rig.acks.size();
  rig.nvdimm().flush(0, rig.now());
  while (rig.acks.size() == seen && rig.kernel().step(kNever)) {
  }
  rig.nvdimm().finish(0, rig.now());
}

NvdimmParameters large_pages(PartialWrites partial) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(2 << 20);
  parameters.nand.page_size = Bytes(8192);
  parameters.buffer.flush = BufferFlush::writeback;
  parameters.ftl.partial_writes = partial;
  return parameters;
}

// 64 writes of 512 B program flash pages of 8 KiB: 16 bytes for each of the host, or 8 if two share
// a flash page. In pages of 4 KiB that is 2 or 1 for each that left the buffer.
TEST(NvdimmStatistics, SmallWritesProgramManyBytesForEachOfTheHost) {
  for (const auto& [partial, bytes] :
       {std::pair(PartialWrites::pad, 16.0), {PartialWrites::combine, 8.0}}) {
    Rig rig(large_pages(partial));
    StatisticRegistry registry;
    register_flash_statistics(registry, {&rig.nvdimm()});
    EXPECT_FALSE(find(registry, "nvdimm.ftl.flash_bytes_per_host_byte").present);
    for (std::int64_t page = 0; page < 64; ++page) {
      for (std::int64_t line = 8; line < 16; ++line) {
        rig.write(page, line);
      }
    }
    flush(rig);
    EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.flash_bytes_per_host_byte").value, bytes);
    EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.waf").value, bytes / 8);
  }
}

TEST(NvdimmStatistics, ABufferAbsorbsOverwrites) {
  Rig rig(large_pages(PartialWrites::pad));
  StatisticRegistry registry;
  register_flash_statistics(registry, {&rig.nvdimm()});
  for (int i = 0; i < 160; ++i) {
    rig.write(0);
  }
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.buffer.write_reuse_ratio").value, 159.0 / 160);
  flush(rig);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.flash_bytes_per_host_byte").value,
                   8192.0 / (160 * 64));
}

// A command for a page writes and reads the bytes of 64 commands for lines.
TEST(NvdimmStatistics, CommandsCountTheirLines) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.flush = BufferFlush::writeback;
  for (const std::uint8_t lines : {std::uint8_t{1}, std::uint8_t{64}}) {
    Rig rig(parameters);
    rig.lines = lines;
    StatisticRegistry registry;
    register_flash_statistics(registry, {&rig.nvdimm()});
    for (const bool writes : {true, false}) {
      rig.run(40 * 64 / lines, 1, [&](std::int64_t i, Address& address, bool& write) {
        address = line_address(i * lines / 64, i * lines % 64);
        write = writes;
      });
      flush(rig);
    }
    EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.flash_bytes_per_host_byte").value, 1);
    EXPECT_DOUBLE_EQ(find(registry, "nvdimm.buffer.lines_per_flash_read").value, 64);
  }
}

// All programs count, also those of collections. 2 MiB of flash that endures 3000 erases takes
// 3000 x 2 MiB of programs.
TEST(NvdimmStatistics, LifetimeIsTheEnduranceOverTheRateOfPrograms) {
  NvdimmParameters parameters = large_pages(PartialWrites::combine);
  parameters.nand.endurance = 3000;
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 1;
  Rig rig(parameters);
  StatisticRegistry registry;
  register_flash_statistics(registry, {&rig.nvdimm()});
  const auto write = [&] {
    for (std::int64_t i = 0; i < 200; ++i) {
      rig.write_page(i * 37 % 150);
    }
  };
  write();
  const Tick reset = rig.now();
  registry.reset(reset);
  EXPECT_FALSE(find(registry, "nvdimm.nand.lifetime_days").present);
  write();
  const FtlStatistics& ftl = rig.statistics().ftl;
  EXPECT_GT(ftl.gc_pages, 0u);
  const double programmed =
      4096.0 * static_cast<double>(ftl.host_pages + ftl.gc_pages + ftl.padded_pages);
  EXPECT_DOUBLE_EQ(static_cast<double>(find(registry, "nvdimm.nand.programs").count) * 8192,
                   programmed);
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.flash_bytes_per_host_byte").value,
                   programmed / (200 * 4096));
  const double days = static_cast<double>((rig.now() - reset).value()) / 1e12 / 86'400;
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.nand.lifetime_days").value,
                   3000.0 * (2 << 20) / (programmed / days));
  const auto value = [&registry](const char* name) {
    return find(registry, std::string("nvdimm.nand.wear.") + name).value;
  };
  const FtlShape& shape = rig.nvdimm().ftl().shape();
  const double capacity = 4096.0 * static_cast<double>(shape.logical_pages);
  EXPECT_DOUBLE_EQ(value("writes_per_day"), 200 * 4096 / capacity / days);
  // Threshold of 3 blocks, of which 2 are free when collection begins, and 2 open ones.
  EXPECT_DOUBLE_EQ(find(registry, "nvdimm.ftl.spare").value,
                   double(shape.blocks - 4) * shape.pages * 4096 / capacity - 1);
  // Counted block by block.
  double sum = 0;
  double squares = 0;
  double least = 1e9;
  double most = 0;
  for (std::uint32_t i = 0; i < shape.luns * shape.blocks; ++i) {
    const double erases = rig.nvdimm().ftl().blocks(i / shape.blocks)[i % shape.blocks].erases;
    sum += erases;
    squares += erases * erases;
    least = std::min(least, erases);
    most = std::max(most, erases);
  }
  const double blocks = shape.luns * shape.blocks;
  EXPECT_GT(most, least);
  EXPECT_DOUBLE_EQ(value("mean"), sum / blocks);
  EXPECT_DOUBLE_EQ(value("least"), least);
  EXPECT_DOUBLE_EQ(value("most"), most);
  EXPECT_NEAR(value("deviation"), std::sqrt(squares / blocks - sum * sum / blocks / blocks), 1e-9);
  EXPECT_DOUBLE_EQ(value("life_used"), sum / blocks / 3000);
  EXPECT_NEAR(value("days_left"),
              find(registry, "nvdimm.nand.lifetime_days").value * (1 - sum / blocks / 3000), 1e-6);
}

// A page that is read once, line by line, has no hit, whenever its lines are asked for.
TEST(NvdimmStatistics, LinesOfAFlashReadHitOnlyWhenTheyAreReadAgain) {
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
