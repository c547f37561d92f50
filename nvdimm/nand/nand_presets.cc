// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_presets.h"

#include <optional>

namespace hmsim {

namespace {

struct CellTimes {
  ProgramModel model;
  Tick read, fast_read, middle_read;
  Tick program, fast_program, middle_program;
  Tick erase;
};

// Properties of a device other than cell times.
struct Device {
  Bytes page_size;
  std::int64_t spare;  // bytes for 4 KiB
  std::int64_t planes;
  std::int64_t pages_per_block;
  NandInterface interface;
  std::int64_t mode;
  std::int64_t endurance;
};

constexpr Tick us(std::int64_t microseconds) { return microseconds * kMicrosecond; }
constexpr Tick ns(std::int64_t nanoseconds) { return nanoseconds * kNanosecond; }

constexpr CellTimes alike(Tick read, Tick program, Tick erase) {
  return {ProgramModel::flat, read, read, read, program, program, program, erase};
}

CellTimes cell_times(NandPreset preset) {
  switch (preset) {
    case NandPreset::slc:  // NVDIMMSim
      return alike(us(25), us(200), us(1500));
    case NandPreset::mlc:  // Table III's means, the fast pages of 2-bit MLC parts
      return {ProgramModel::mlc, us(50), us(50), us(50), us(650), us(250), us(650), us(2000)};
    case NandPreset::tlc:  // SimpleSSD's 3-bit part, from memory
      return {ProgramModel::tlc, us(81), us(58), us(78), us(2587), us(558), us(2201), us(2274)};
    case NandPreset::slc_32gb:
      return alike(us(35), us(350), us(1500));
    case NandPreset::mlc_64gb:  // lower pages: FEMU's 850 of a mean of 1575 us
      return {ProgramModel::mlc, us(75), us(75), us(75), us(1300), us(700), us(1300), us(3800)};
    case NandPreset::tlc_512gb:  // reads: FEMU's 56.5, 77.5 and 106 us, scaled to the mean
      return {ProgramModel::tlc, us(60),  ns(42'400), ns(58'100),
              us(700),           us(700), us(700),    us(3000)};
    case NandPreset::qlc_1tb:  // reads: FEMU's 59.3, 85.3, 127.2 and 169.6 us, the mean 110.3
      return {ProgramModel::qlc, us(110),  ns(59'300), ns(106'200),
              us(2000),          us(2000), us(2000),   us(3000)};
    case NandPreset::z_nand:
      return alike(us(3), us(100), us(1500));
    case NandPreset::xl_flash:
      return alike(us(4), us(75), us(1500));
    case NandPreset::hbf_256:
      return alike(us(4), us(75), us(2000));
    case NandPreset::table3:
      break;
  }
  return {ProgramModel::flat, us(50), us(50), us(50), us(650), us(250), us(650), us(2000)};
}

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
std::optional<Device> device(NandPreset preset) {
  constexpr std::int64_t kShare = 224;  // spare bytes of MLC data sheets
  switch (preset) {
    case NandPreset::slc_32gb:
      return Device{2 * kPageBytes, kShare, 2, 128, NandInterface::nv_ddr, 5, 60'000};
    case NandPreset::mlc_64gb:
      return Device{2 * kPageBytes, kShare, 2, 256, NandInterface::nv_ddr, 5, 3000};
    case NandPreset::tlc_512gb:  // 64 layers of 4 strings, 3 pages each
      return Device{4 * kPageBytes, 512, 2, 768, NandInterface::nv_ddr3, 11, 3000};
    case NandPreset::qlc_1tb:  // 92 layers of 4 strings, 4 pages each
      return Device{4 * kPageBytes, 512, 2, 1472, NandInterface::nv_ddr3, 13, 1000};
    case NandPreset::z_nand:  // 48 layers of 4 strings
      return Device{kPageBytes, kShare, 2, 192, NandInterface::nv_ddr3, 10, 54'750};
    case NandPreset::xl_flash:  // 96 layers of 4 strings
      return Device{kPageBytes, kShare, 16, 384, NandInterface::nv_ddr3, 10, 109'500};
    default:
      return {};
  }
}

// A bank of high bandwidth flash. The OCP specification gives no cell times. tR and tPROG are those
// of xl_flash; tBERS and 256 pages of 4096 + 224 bytes are assumptions. The bus is one die's: the
// 96 GB/s of a channel of grade 2 for user data. The page buffer lets a sense overlap the transfer
// of the page before.
void set_hbf(NandParameters& nand) {
  nand.page_size = kPageBytes;
  nand.spare = 224;
  nand.transfer_spare = true;
  nand.planes = 1;
  nand.multi_plane = false;
  nand.pages_per_block = 256;
  nand.interface = NandInterface::flat;
  nand.bus_rate = 101'250'000'000;
  nand.command_time = Tick(0);
  nand.cache = true;
  nand.cache_busy_time = Tick(0);
  nand.suspend = SuspendMode::none;
}

}  // namespace

void set_preset(NandPreset preset, NandParameters& nand) {
  const CellTimes times = cell_times(preset);
  nand.program_model = times.model;
  nand.read_time = times.read;
  nand.fast_read_time = times.fast_read;
  nand.middle_read_time = times.middle_read;
  nand.program_time = times.program;
  nand.fast_program_time = times.fast_program;
  nand.middle_program_time = times.middle_program;
  nand.erase_time = times.erase;
  if (const std::optional<Device> whole = device(preset)) {
    nand.page_size = whole->page_size;
    nand.spare = whole->spare;
    nand.transfer_spare = true;
    nand.planes = whole->planes;
    nand.multi_plane = true;
    nand.pages_per_block = whole->pages_per_block;
    nand.interface = whole->interface;
    nand.mode = whole->mode;
    nand.endurance = whole->endurance;
  }
  if (preset == NandPreset::hbf_256) {
    set_hbf(nand);
  }
}

}  // namespace hmsim
