// SPDX-License-Identifier: BSD-3-Clause
// Durations of the stages of flash operations.
//
// An operation is a chain of stages. Consecutive stages that own the channel form a tenure, shown
// in brackets:
//
//   read     [CLE ALE(5) CLE] cells: tR [data out]
//   program  [CLE ALE(5) data in CLE] cells: tPROG [status]
//   erase    [CLE ALE(3) CLE] cells: tBERS [status]
//
// The chains are NANDFlashSim's. Latch cycles:
//   sdr      CLE = tWP + tDS + tDH; ALE(n) = tCS - tDS + n (tDS + tDH); data in = n tWC; data out =
//            tRR + n tRC; status = tDS + tWHR + tREA + tRC              (NANDFlashSim)
//   nv_ddr*  read: tCS + 6 cycles + tWB + tRR; program: tCS + 6 cycles + tADL + data + tWPST +
//            tWPSTH + tWB; erase: tCS + 4 cycles + tWB (MQSim); status: tCS + a cycle + tWHR + tRR
//   flat     command_time, for any command and its addresses; no status
//
// Data in and data out include only the wanted parts of the page (random data input and output).
// The command carries the first column. Each further stretch of parts needs a column change: CLE
// ALE(2), for reads another CLE, and tCCS.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// Speed class of a page, which depends on its index in the block.
enum class PageSpeed : std::uint8_t { fast, middle, slow };

PageSpeed page_speed(ProgramModel model, std::int64_t page, std::int64_t pages);

struct PageTimes {
  Tick fast, middle, slow;
};

// With the flat model all three are the mean.
PageTimes read_times(const NandParameters& nand);
PageTimes program_times(const NandParameters& nand);

// Returns the longest time that a program may take.
Tick longest_program(const NandParameters& nand);

class NandTiming {
 public:
  explicit NandTiming(const NandParameters& nand, std::uint64_t seed = 0);

  // Channel tenures for these parts of a page. A program's includes the data if `transfer`.
  Tick read_command() const { return read_command_; }
  Tick program_command(bool transfer, PartMask parts = 1) const {
    return transfer ? program_command_ + data_in_[parts] : program_command_;
  }
  Tick erase_command() const { return erase_command_; }
  Tick data_out(PartMask parts = 1) const { return data_out_[parts]; }
  Tick change_column() const { return change_column_; }  // before data out
  Tick status() const { return status_; }                // 0: no status stage

  Tick data_in(PartMask parts = 1) const { return data_in_[parts]; }  // share of a program

  // Cell times. `block`: index in the whole array. `page`: index in the block. reads_alike(): all
  // reads take equally long.
  bool reads_alike() const { return reads_alike_; }
  Tick read(std::uint64_t block, std::uint32_t page) const {
    return varied(read_[page], block, page);
  }
  Tick program(std::uint64_t block, std::uint32_t page) const {
    return varied(program_[page], block, page);
  }
  // In one-bit mode.
  Tick slc_read(std::uint64_t block, std::uint32_t page) const {
    return varied(slc_read_, block, page);
  }
  Tick slc_program(std::uint64_t block, std::uint32_t page) const {
    return varied(slc_program_, block, page);
  }
  Tick erase(std::uint64_t block) const { return varied(erase_, block, kWholeBlock); }

 private:
  static constexpr std::uint32_t kWholeBlock = ~std::uint32_t{0};

  Tick varied(Tick mean, std::uint64_t block, std::uint32_t page) const {
    return variation_ppm_ == 0 ? mean : vary(mean, block, page);
  }
  Tick vary(Tick mean, std::uint64_t block, std::uint32_t page) const;

  // One time for each mask of parts.
  using ByParts = std::array<Tick, 1u << kMostParts>;

  Tick read_command_, program_command_, erase_command_, change_column_, status_;
  ByParts data_in_, data_out_;
  std::vector<Tick> read_;  // by page
  std::vector<Tick> program_;
  Tick slc_read_, slc_program_;
  Tick erase_;
  std::uint64_t variation_ppm_;
  bool reads_alike_;
  std::uint64_t seed_;
};

}  // namespace hmsim
