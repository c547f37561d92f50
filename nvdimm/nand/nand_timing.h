// SPDX-License-Identifier: BSD-3-Clause
// How long the stages of flash operations take.
//
// An operation is a chain of stages; those of them that own the channel follow one another without
// a gap, in tenures:
//
//   read     [CLE ALE(5) CLE] cells: tR [data out]
//   program  [CLE ALE(5) data in CLE] cells: tPROG [status]
//   erase    [CLE ALE(3) CLE] cells: tBERS [status]
//
// (NANDFlashSim's chains.) Latch cycles:
//   sdr      CLE = tWP + tDS + tDH; ALE(n) = tCS - tDS + n (tDS + tDH); data in = n tWC; data out =
//            tRR + n tRC; status = tDS + tWHR + tREA + tRC              (NANDFlashSim)
//   nv_ddr*  read: tCS + 6 cycles + tWB + tRR; program: tCS + 6 cycles + tADL + data + tWPST +
//            tWPSTH + tWB; erase: tCS + 4 cycles + tWB (MQSim); status: tCS + a cycle + tWHR + tRR
//   flat     command_time, for any command and its addresses; no status
//
// Data in and out are those of the parts of the page that are wanted (random data input and
// output): the first column comes with the command, each further stretch of parts after a change of
// column, CLE ALE(2) and, of reads, CLE, and tCCS.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// Of a page, by its place in a block.
enum class PageSpeed : std::uint8_t { fast, middle, slow };

PageSpeed page_speed(ProgramModel model, std::int64_t page, std::int64_t pages);

struct PageTimes {
  Tick fast, middle, slow;
};

// With the flat model all three are the mean.
PageTimes read_times(const NandParameters& nand);
PageTimes program_times(const NandParameters& nand);

// The longest time that a program may take.
Tick longest_program(const NandParameters& nand);

class NandTiming {
 public:
  explicit NandTiming(const NandParameters& nand, std::uint64_t seed = 0);

  // Tenures of the channel, of these parts of a page. A program's brings them along if `transfer`.
  Tick read_command() const { return read_command_; }
  Tick program_command(bool transfer, PartMask parts = 1) const {
    return transfer ? program_command_ + data_in_[parts] : program_command_;
  }
  Tick erase_command() const { return erase_command_; }
  Tick data_out(PartMask parts = 1) const { return data_out_[parts]; }
  Tick status() const { return status_; }  // 0: there is none

  Tick data_in(PartMask parts = 1) const { return data_in_[parts]; }  // of a program's tenure

  // Cell times; `block` names a block of the whole array, `page` one in it.
  Tick read(std::uint64_t block, std::uint32_t page) const {
    return varied(read_[page], block, page);
  }
  Tick program(std::uint64_t block, std::uint32_t page) const {
    return varied(program_[page], block, page);
  }
  Tick erase(std::uint64_t block) const { return varied(erase_, block, kWholeBlock); }

 private:
  static constexpr std::uint32_t kWholeBlock = ~std::uint32_t{0};

  Tick varied(Tick mean, std::uint64_t block, std::uint32_t page) const {
    return variation_ppm_ == 0 ? mean : vary(mean, block, page);
  }
  Tick vary(Tick mean, std::uint64_t block, std::uint32_t page) const;

  // Of each choice of parts.
  using ByParts = std::array<Tick, 1u << kMostParts>;

  Tick read_command_, program_command_, erase_command_, status_;
  ByParts data_in_, data_out_;
  std::vector<Tick> read_;  // by page
  std::vector<Tick> program_;
  Tick erase_;
  std::uint64_t variation_ppm_;
  std::uint64_t seed_;
};

}  // namespace hmsim
