// SPDX-License-Identifier: BSD-3-Clause
// Parameters of a flash array.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/nand/firmware.h"

namespace hmsim {

enum class NandPreset : std::uint8_t {
  table3,
  slc,
  mlc,
  tlc,
  slc_32gb,
  mlc_64gb,
  tlc_512gb,
  qlc_1tb,
  z_nand,
  xl_flash,
  hbf_256
};
enum class NandInterface : std::uint8_t { flat, sdr, nv_ddr, nv_ddr2, nv_ddr3 };
enum class ProgramModel : std::uint8_t { flat, cmlc, mlc, tlc, qlc };
enum class SuspendMode : std::uint8_t { none, erase, program, both };

inline constexpr std::uint32_t kMostParts = 4;  // per flash page, 4 KiB each

// Mask of parts of a flash page, one bit each.
using PartMask = std::uint8_t;

inline constexpr PartMask first_parts(std::uint32_t count) {
  return static_cast<PartMask>((1u << count) - 1);
}

inline constexpr std::uint32_t count_parts(PartMask parts) {
  return (parts & 1u) + (parts >> 1 & 1u) + (parts >> 2 & 1u) + (parts >> 3 & 1u);
}

// Returns whether `size` is a supported flash page size.
bool is_page_size(Bytes size);

// Currents in microamperes, of one LUN and of one flash channel. Supply voltage in millivolts.
struct NandEnergyParameters {
  std::int64_t vcc = 3300;
  std::int64_t icc_read = 25'000;     // ICC1
  std::int64_t icc_program = 25'000;  // ICC2
  std::int64_t icc_erase = 25'000;    // ICC3
  std::int64_t icc_bus = 10'000;      // ICC4
  std::int64_t standby = 10;          // ISB
};

// Set together by each preset.
struct CellTimes {
  ProgramModel program_model = ProgramModel::flat;
  Tick read_time = 50 * kMicrosecond;       // mean over the pages of a block
  Tick fast_read_time = 50 * kMicrosecond;  // fast pages; not with the flat model
  Tick middle_read_time = 50 * kMicrosecond;
  Tick program_time = 650 * kMicrosecond;
  Tick fast_program_time = 250 * kMicrosecond;
  Tick middle_program_time = 650 * kMicrosecond;
  Tick erase_time = 2000 * kMicrosecond;
  std::int64_t cell_bits = 2;
};

// Set together by each preset of a whole device.
struct NandDevice {
  Bytes page_size{4096};
  std::int64_t spare = 224;  // bytes per 4 KiB
  bool transfer_spare = false;
  std::int64_t planes = 1;
  bool multi_plane = false;
  std::int64_t pages_per_block = 128;
  NandInterface interface = NandInterface::flat;
  std::int64_t mode = 5;
  std::int64_t endurance = 10'000;  // erases
};

struct NandParameters : CellTimes, NandDevice {
  NandPreset preset = NandPreset::table3;
  std::int64_t channels = 4;
  std::int64_t chips = 2;
  std::int64_t dies = 1;

  std::int64_t bus_rate = 200'000'000;          // flat: bytes per second
  Tick command_time = 300 * kNanosecond;        // flat
  Tick change_column_time = 300 * kNanosecond;  // flat
  double variation = 0;                         // percent

  bool independent_reads = false;
  std::int64_t slc_blocks = 0;  // of a LUN, in superblocks
  Tick slc_read_time = 25 * kMicrosecond;
  Tick slc_program_time = 200 * kMicrosecond;

  bool cache = false;
  bool register_hits = false;
  Tick plane_busy_time = 500 * kNanosecond;
  Tick cache_busy_time = 3 * kMicrosecond;
  SuspendMode suspend = SuspendMode::none;
  Tick suspend_time = 50 * kMicrosecond;
  Tick resume_time = 5 * kMicrosecond;
  std::int64_t suspend_limit = 16;

  double factory_bad = 0;             // share of the blocks
  double wear_failure = 0.01;         // share of the erases beyond the endurance
  double program_failure = 0;         // share of the programs
  double read_retry = 0;              // share of the reads at the end of the endurance
  std::int64_t read_retry_limit = 7;  // repetitions
  Tick ecc_time{0};
  FirmwareParameters firmware;
  NandEnergyParameters energy;

  std::int64_t luns() const { return channels * chips * dies; }
  std::int64_t luns_per_channel() const { return chips * dies; }
  // Returns the number of factory-bad superblocks in a LUN with `superblocks` superblocks.
  std::int64_t factory_bad_superblocks(std::int64_t superblocks) const;
  // Returns the number of logical pages in a flash page.
  std::int64_t parts() const { return page_size / kPageBytes; }
  // Returns the flash pages of a superblock: the blocks at the same place in all planes of a LUN,
  // which are erased together.
  std::int64_t superblock_pages() const { return planes * pages_per_block; }
  // Returns the flash pages of a block in one-bit mode.
  std::int64_t slc_pages() const { return pages_per_block / cell_bits; }
  // Returns the superblocks of a module of this capacity.
  std::int64_t superblocks(Bytes capacity) const {
    return capacity / page_size / superblock_pages();
  }

  // Declares the fields under "nand.".
  void declare(ParameterSet& set);
  void check(std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
