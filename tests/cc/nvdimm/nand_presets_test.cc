// SPDX-License-Identifier: BSD-3-Clause
// Does a preset have the values of its data sheet?
#include "nvdimm/nand/nand_presets.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>

namespace hmsim {
namespace {

// Spare bytes next to 4 KiB of data, which are transferred with them.
TEST(NandPresets, WholeDevicesBringTheirSpareBytesAndKindsOfCellsLeaveThem) {
  const auto spare = [](NandPreset preset) {
    NandParameters nand;
    nand.spare = 1;
    nand.transfer_spare = false;
    set_preset(preset, nand);
    EXPECT_EQ(nand.transfer_spare, nand.spare != 1);
    return nand.spare;
  };
  for (const NandPreset cells :
       {NandPreset::table3, NandPreset::slc, NandPreset::mlc, NandPreset::tlc}) {
    EXPECT_EQ(spare(cells), 1);
  }
  for (const NandPreset part : {NandPreset::slc_32gb, NandPreset::mlc_64gb, NandPreset::z_nand,
                                NandPreset::xl_flash, NandPreset::hbf_256}) {
    EXPECT_EQ(spare(part), 224);
  }
  for (const NandPreset part : {NandPreset::tlc_512gb, NandPreset::qlc_1tb}) {
    EXPECT_EQ(spare(part), 512);
  }
}

// Page size, planes and pages of a block: tests/integrity/test_flash_pages.py.
TEST(NandPresets, WholeDevicesHaveTheirBus) {
  const std::map<NandPreset, std::pair<NandInterface, std::int64_t>> modes{
      {NandPreset::slc_32gb, {NandInterface::nv_ddr, 5}},
      {NandPreset::mlc_64gb, {NandInterface::nv_ddr, 5}},
      {NandPreset::tlc_512gb, {NandInterface::nv_ddr3, 11}},
      {NandPreset::qlc_1tb, {NandInterface::nv_ddr3, 13}},
      {NandPreset::z_nand, {NandInterface::nv_ddr3, 10}},
      {NandPreset::xl_flash, {NandInterface::nv_ddr3, 10}}};
  for (const auto& [preset, mode] : modes) {
    NandParameters nand;
    set_preset(preset, nand);
    EXPECT_EQ(std::pair(nand.interface, nand.mode), mode) << static_cast<int>(preset);
    EXPECT_TRUE(nand.multi_plane) << static_cast<int>(preset);
  }
}

// Microseconds: the mean page read, the read of a fast and of a middle page, the same three for
// programs, and an erase. nvdimm/nand/nand_presets.cc names the sources.
TEST(NandPresets, HaveTheTimesThatTheirSourcesGive) {
  const std::map<NandPreset, std::array<double, 7>> times{
      {NandPreset::table3, {50, 50, 50, 650, 250, 650, 2000}},
      {NandPreset::slc, {25, 25, 25, 200, 200, 200, 1500}},
      {NandPreset::mlc, {50, 50, 50, 650, 250, 650, 2000}},
      {NandPreset::tlc, {81, 58, 78, 2587, 558, 2201, 2274}},
      {NandPreset::slc_32gb, {35, 35, 35, 350, 350, 350, 1500}},
      {NandPreset::mlc_64gb, {75, 75, 75, 1300, 700, 1300, 3800}},
      {NandPreset::tlc_512gb, {60, 42.4, 58.1, 700, 700, 700, 3000}},
      {NandPreset::qlc_1tb, {110, 59.3, 106.2, 2000, 2000, 2000, 3000}},
      {NandPreset::z_nand, {3, 3, 3, 100, 100, 100, 1500}},
      {NandPreset::xl_flash, {4, 4, 4, 75, 75, 75, 1500}},
      {NandPreset::hbf_256, {4, 4, 4, 75, 75, 75, 2000}}};
  for (const auto& [preset, expected] : times) {
    SCOPED_TRACE(static_cast<int>(preset));
    NandParameters nand;
    set_preset(preset, nand);
    const Tick found[] = {nand.read_time,    nand.fast_read_time,    nand.middle_read_time,
                          nand.program_time, nand.fast_program_time, nand.middle_program_time,
                          nand.erase_time};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(found[i].value()) / 1e6, expected[i], 1e-9) << i;
    }
  }
}

}  // namespace
}  // namespace hmsim
