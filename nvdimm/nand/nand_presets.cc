// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_presets.h"

#include "core/preset_table.h"

namespace hmsim {

namespace {

constexpr CellTimes alike(Tick read, Tick program, Tick erase) {
  return {ProgramModel::flat, read, read, read, program, program, program, erase, 1};
}

constexpr std::int64_t kShare = 224;  // spare bytes of MLC data sheets for 4 KiB

constexpr NandDevice whole(Bytes page_size, std::int64_t spare, std::int64_t planes,
                           std::int64_t pages_per_block, NandInterface interface, std::int64_t mode,
                           std::int64_t endurance) {
  return {page_size, spare, true, planes, true, pages_per_block, interface, mode, endurance};
}

// A bank of high bandwidth flash. The OCP specification gives no cell times. tR and tPROG are those
// of xl_flash; tBERS and 256 pages of 4096 + 224 bytes are assumptions. The bus is one die's: the
// 96 GB/s of a channel of grade 2 for user data. The page buffer lets a sense overlap the transfer
// of the page before.
void set_hbf(NandParameters& nand) {
  static_cast<NandDevice&>(nand) = {kPageBytes,          kShare,    true,          1, false, 256,
                                    NandInterface::flat, nand.mode, nand.endurance};
  nand.bus_rate = 101'250'000'000;
  nand.command_time = Tick(0);
  nand.cache = true;
  nand.cache_busy_time = Tick(0);
  nand.suspend = SuspendMode::none;
}

}  // namespace

// Sources of the devices. Values without a source here are assumed.
//
// slc_32gb: Micron MT29F32G08ABAAA. Geometry and times of its data sheet, as drivers and a
// simulator quote them. mlc_64gb: Micron MT29F64G08CBAAA (L74A), data sheet, revision G. tR is its
// maximum. tlc_512gb: Samsung, 64 layers. Page, tR and tPROG: Samsung's table of ISSCC 2018, as
// AnandTech's review of the 983 ZET prints it. Bus: 1 Gb/s in ISSCC 2017, 11.4 (from memory); here
// the next slower mode. tPROG covers all pages of a layer. qlc_1tb: Samsung, 92 layers. tR, tPROG
// and bus: title of ISSCC 2020, 13.1. Page: QLC of ISSCC 2022. Endurance: Toshiba's aim for QLC,
// 2017. z_nand: Samsung, 48 layers, 64 Gb. Page, tR and tPROG: the same table of ISSCC 2018.
// Endurance: 30 drive writes a day for five years (SZ985). xl_flash: Kioxia, 96 layers, 128 Gb. 16
// planes: Tom's Hardware. tR and tPROG: title of ISSCC 2019; page: both from memory. Endurance: 60
// drive writes a day for five years (FL6, from memory).
//
// Spare area of parts with 16 KiB pages: a controller for such a part (FCC). Erases of tlc_512gb
// and qlc_1tb: FEMU. Pages of a block: layers x 4 strings x bits of a cell, with the strings
// assumed.
constexpr std::array<NandPresetRow, 11> kNandPresets{{
    {"table3", NandPreset::table3, {}, {}},
    {"slc", NandPreset::slc, alike(us(25), us(200), us(1500)), {}},  // NVDIMMSim
    {"mlc",  // Table III's means, the fast pages of 2-bit MLC parts
     NandPreset::mlc,
     {ProgramModel::mlc, us(50), us(50), us(50), us(650), us(250), us(650), us(2000), 2},
     {}},
    {"tlc",  // SimpleSSD's 3-bit part, from memory
     NandPreset::tlc,
     {ProgramModel::tlc, us(81), us(58), us(78), us(2587), us(558), us(2201), us(2274), 3},
     {}},
    {"slc_32gb", NandPreset::slc_32gb, alike(us(35), us(350), us(1500)),
     whole(2 * kPageBytes, kShare, 2, 128, NandInterface::nv_ddr, 5, 60'000)},
    {"mlc_64gb",  // lower pages: FEMU's 850 of a mean of 1575 us
     NandPreset::mlc_64gb,
     {ProgramModel::mlc, us(75), us(75), us(75), us(1300), us(700), us(1300), us(3800), 2},
     whole(2 * kPageBytes, kShare, 2, 256, NandInterface::nv_ddr, 5, 3000)},
    {"tlc_512gb",  // reads: FEMU's 56.5, 77.5 and 106 us, scaled to the mean
     NandPreset::tlc_512gb,
     {ProgramModel::tlc, us(60), ns(42'400), ns(58'100), us(700), us(700), us(700), us(3000), 3},
     // 64 layers of 4 strings, 3 pages each
     whole(4 * kPageBytes, 512, 2, 768, NandInterface::nv_ddr3, 11, 3000)},
    {"qlc_1tb",  // reads: FEMU's 59.3, 85.3, 127.2 and 169.6 us, the mean 110.3
     NandPreset::qlc_1tb,
     {ProgramModel::qlc, us(110), ns(59'300), ns(106'200), us(2000), us(2000), us(2000), us(3000),
      4},
     // 92 layers of 4 strings, 4 pages each
     whole(4 * kPageBytes, 512, 2, 1472, NandInterface::nv_ddr3, 13, 1000)},
    {"z_nand", NandPreset::z_nand, alike(us(3), us(100), us(1500)),
     // 48 layers of 4 strings
     whole(kPageBytes, kShare, 2, 192, NandInterface::nv_ddr3, 10, 54'750)},
    {"xl_flash", NandPreset::xl_flash, alike(us(4), us(75), us(1500)),
     // 96 layers of 4 strings
     whole(kPageBytes, kShare, 16, 384, NandInterface::nv_ddr3, 10, 109'500)},
    {"hbf_256", NandPreset::hbf_256, alike(us(4), us(75), us(2000)), {}},
}};
static_assert(in_order(kNandPresets));

void set_preset(NandPreset preset, NandParameters& nand) {
  const NandPresetRow& row = row_of(kNandPresets, preset);
  static_cast<CellTimes&>(nand) = row.times;
  if (row.device) {
    static_cast<NandDevice&>(nand) = *row.device;
  }
  if (preset == NandPreset::hbf_256) {
    set_hbf(nand);
  }
}

}  // namespace hmsim
