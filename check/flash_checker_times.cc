// SPDX-License-Identifier: BSD-3-Clause
// Least times of the flash protocol: of the bus and of the cells, for a command's record.
#include <array>
#include <cstddef>
#include <cstdint>

#include "check/flash_checker.h"

namespace hmsim {

namespace {

using O = FlashOperation;
using S = FlashStage;

constexpr std::int64_t kMillion = 1'000'000;

// Picoseconds per byte, rounded down: {write, read} for ONFI's asynchronous modes, one value for
// source-synchronous modes.
constexpr std::array<std::array<int, 2>, 6> kSdrByte{{{100'000, 100'000},
                                                      {45'000, 50'000},
                                                      {35'000, 35'000},
                                                      {30'000, 30'000},
                                                      {25'000, 25'000},
                                                      {20'000, 20'000}}};
constexpr std::array<int, 6> kDdrByte{25'000, 14'925, 10'000, 7'518, 5'988, 5'000};
constexpr std::array<int, 8> kDdr2Byte{14'925, 12'500, 7'518, 5'988, 5'000, 3'745, 3'003, 2'500};
constexpr std::array<int, 14> kDdr3Byte{14'925, 12'500, 7'518, 5'988, 5'000, 3'745, 3'003,
                                        2'500,  1'876,  1'499, 1'250, 1'071, 937,   833};

Tick byte_time(const NandParameters& nand, bool in) {
  const auto mode = static_cast<std::size_t>(nand.mode);
  switch (nand.interface) {
    case NandInterface::sdr:
      return Tick(kSdrByte[mode][in ? 0 : 1]);
    case NandInterface::nv_ddr:
      return Tick(kDdrByte[mode]);
    case NandInterface::nv_ddr2:
      return Tick(kDdr2Byte[mode]);
    case NandInterface::nv_ddr3:
      return Tick(kDdr3Byte[mode]);
    case NandInterface::flat:
      break;
  }
  return Tick(kSecond.value() / nand.bus_rate);
}

// Returns the time of a change of column: tCCS, or on a flat bus the configured time.
Tick column_time(const NandParameters& nand) {
  return nand.interface == NandInterface::flat ? nand.change_column_time : 500 * kNanosecond;
}

// Returns the speed of a page: 0 fast, 1 middle, 2 slow.
int kind_of(const NandParameters& nand, std::int64_t page) {
  const std::int64_t last = nand.pages_per_block - 1;
  switch (nand.program_model) {
    case ProgramModel::cmlc:
      return (page & 1) == 0 || page == 1 || page >= last - 1 ? 0 : 2;
    case ProgramModel::mlc:
      return page <= 3 || (page & 2) == 0 ? 0 : 2;
    case ProgramModel::tlc:
      return static_cast<int>(page % 3);
    case ProgramModel::qlc:
      return page % 4 == 3 ? 2 : page % 4 == 0 ? 0 : 1;
    case ProgramModel::flat:
      break;
  }
  return 0;
}

// Returns a page's program time, from the block's mean and the times of fast and middle pages.
Tick page_time(const NandParameters& nand, std::int64_t page, Tick mean, Tick fast, Tick middle) {
  if (nand.program_model == ProgramModel::flat) {
    return mean;
  }
  std::array<std::int64_t, 3> count{};
  for (std::int64_t i = 0; i < nand.pages_per_block; ++i) {
    ++count[static_cast<std::size_t>(kind_of(nand, i))];
  }
  const int kind = kind_of(nand, page);
  return kind == 0 ? fast
         : kind == 1
             ? middle
             : (nand.pages_per_block * mean - count[0] * fast - count[1] * middle) / count[2];
}

}  // namespace

// `jumps`: a column change comes first.
Tick FlashChecker::least_bus_time(const FlashRecord& record, bool jumps) const {
  constexpr std::int64_t kPart = 4096;
  const bool in = record.stage == S::command && record.operation == O::program && record.transfer;
  const bool moves = in || record.stage == S::data_out;
  std::int64_t parts = 0;
  std::int64_t columns = jumps ? 0 : -1;  // changes of column
  bool before = false;
  for (std::uint32_t bit = 1; bit <= record.parts; bit *= 2) {
    const bool wanted = (record.parts & bit) != 0;
    parts += wanted ? 1 : 0;
    columns += wanted && !before ? 1 : 0;
    before = wanted;
  }
  Tick least =
      moves ? parts * (kPart + (nand_.transfer_spare ? nand_.spare : 0)) * byte_time(nand_, in) +
                  columns * column_time(nand_)
            : Tick(0);
  if (record.stage == S::command && nand_.interface == NandInterface::flat) {
    least += nand_.command_time;
  }
  return least;
}

Tick FlashChecker::least_cell_time(const FlashRecord& record) const {
  Tick time = nand_.erase_time;
  if (record.one_bit && record.operation != O::erase) {
    time = record.operation == O::read ? nand_.slc_read_time : nand_.slc_program_time;
  } else if (record.operation == O::read) {
    time = page_time(nand_, record.page, nand_.read_time, nand_.fast_read_time,
                     nand_.middle_read_time);
  } else if (record.operation == O::program) {
    time = page_time(nand_, record.page, nand_.program_time, nand_.fast_program_time,
                     nand_.middle_program_time);
  }
  constexpr double kPartsPerPercent = 10'000;
  const auto parts = static_cast<std::int64_t>(nand_.variation * kPartsPerPercent + 0.5);
  return time - time / kMillion * parts;
}

}  // namespace hmsim
