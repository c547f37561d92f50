// SPDX-License-Identifier: BSD-3-Clause
// Does a part bring what its data sheet says?
#include "nvdimm/nand/nand_presets.h"

#include <gtest/gtest.h>

namespace hmsim {
namespace {

// Bytes beside 4 KiB of data, which pass the bus with them.
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
  for (const NandPreset part :
       {NandPreset::slc_32gb, NandPreset::mlc_64gb, NandPreset::z_nand, NandPreset::xl_flash}) {
    EXPECT_EQ(spare(part), 224);
  }
  for (const NandPreset part : {NandPreset::tlc_512gb, NandPreset::qlc_1tb}) {
    EXPECT_EQ(spare(part), 512);
  }
}

}  // namespace
}  // namespace hmsim
