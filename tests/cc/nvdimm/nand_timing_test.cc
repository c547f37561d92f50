// SPDX-License-Identifier: BSD-3-Clause
// Do the channel's tenures match the interfaces' timing modes?
// Does a preset have the values of its data sheet?
#include "nvdimm/nand/nand_timing.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>

#include "nvdimm/nand/nand_presets.h"

namespace hmsim {
namespace {

// Nanoseconds of the operations' latch cycles, by the formulas in nand_timing.h.
struct Expected {
  NandInterface interface;
  std::int64_t mode;
  std::int64_t read, program, erase, status;
  std::int64_t before_data_out;
  std::int64_t to_write, to_read;  // another column
  std::int64_t rate_in, rate_out;  // bytes per second
};

constexpr std::int64_t kMillion = 1'000'000;

const Expected kExpected[] = {
    {NandInterface::sdr, 0, 550, 550, 430, 300, 40, 760, 870, 10 * kMillion, 10 * kMillion},
    {NandInterface::sdr, 5, 112, 112, 88, 123, 20, 554, 576, 50 * kMillion, 50 * kMillion},
    {NandInterface::nv_ddr, 0, 425, 880, 315, 180, 20, 670, 715, 40 * kMillion, 40 * kMillion},
    {NandInterface::nv_ddr, 5, 405, 800, 295, 160, 20, 650, 695, 200 * kMillion, 200 * kMillion},
    {NandInterface::nv_ddr2, 0, 290, 361, 220, 145, 30, 595, 620, 67 * kMillion, 67 * kMillion},
    {NandInterface::nv_ddr2, 7, 290, 361, 220, 145, 30, 595, 620, 400 * kMillion, 400 * kMillion},
    {NandInterface::nv_ddr3, 10, 290, 361, 220, 145, 30, 595, 620, 800 * kMillion, 800 * kMillion},
    {NandInterface::nv_ddr3, 11, 290, 361, 220, 145, 30, 595, 620, 933 * kMillion, 933 * kMillion},
    {NandInterface::nv_ddr3, 13, 290, 361, 220, 145, 30, 595, 620, 1200 * kMillion,
     1200 * kMillion},
    {NandInterface::flat, 0, 300, 300, 300, 0, 0, 300, 300, 200 * kMillion, 200 * kMillion},
};

// Returns the time rounded up to picoseconds.
Tick transfer(std::int64_t bytes, std::int64_t rate) {
  return Tick((bytes * kSecond.value() + rate - 1) / rate);
}

// Parts, and the column changes between them.
struct Parts {
  PartMask mask;
  std::int64_t count;
  std::int64_t changes;
};

TEST(NandTiming, TenuresAreThoseOfTheInterfacesMode) {
  for (const Expected& expected : kExpected) {
    NandParameters nand;
    nand.interface = expected.interface;
    nand.mode = expected.mode;
    const std::string name =
        std::to_string(static_cast<int>(expected.interface)) + " " + std::to_string(expected.mode);
    for (const bool spare : {false, true}) {
      nand.transfer_spare = spare;
      const NandTiming timing(nand);
      EXPECT_EQ(timing.read_command(), expected.read * kNanosecond) << name;
      EXPECT_EQ(timing.program_command(false), expected.program * kNanosecond) << name;
      EXPECT_EQ(timing.erase_command(), expected.erase * kNanosecond) << name;
      EXPECT_EQ(timing.status(), expected.status * kNanosecond) << name;
      for (const Parts& parts :
           {Parts{0b0001, 1, 0}, Parts{0b1000, 1, 0}, Parts{0b0011, 2, 0}, Parts{0b0110, 2, 0},
            Parts{0b1111, 4, 0}, Parts{0b0101, 2, 1}, Parts{0b1001, 2, 1}, Parts{0b1011, 3, 1}}) {
        const std::int64_t bytes = parts.count * (4096 + (spare ? nand.spare : 0));
        const Tick in =
            transfer(bytes, expected.rate_in) + parts.changes * expected.to_write * kNanosecond;
        EXPECT_EQ(timing.data_in(parts.mask), in) << name << " " << int{parts.mask};
        EXPECT_EQ(timing.program_command(true, parts.mask), expected.program * kNanosecond + in);
        EXPECT_EQ(timing.data_out(parts.mask), expected.before_data_out * kNanosecond +
                                                   transfer(bytes, expected.rate_out) +
                                                   parts.changes * expected.to_read * kNanosecond)
            << name << " " << int{parts.mask};
      }
    }
  }
}

// The bound is at least as long as any program and at most the slowest allowed one.
TEST(NandTiming, NoProgramTakesLongerThanTheLongest) {
  for (const ProgramModel model : {ProgramModel::flat, ProgramModel::cmlc, ProgramModel::mlc,
                                   ProgramModel::tlc, ProgramModel::qlc}) {
    for (const double variation : {0.0, 10.0}) {
      NandParameters nand;
      nand.program_model = model;
      nand.variation = variation;
      const NandTiming timing(nand, 3);
      Tick longest{0};
      for (std::uint64_t block = 0; block < 64; ++block) {
        for (std::uint32_t page = 0; page < nand.pages_per_block; ++page) {
          longest = later(longest, timing.program(block, page));
        }
      }
      EXPECT_LE(longest, longest_program(nand));
      EXPECT_GE(longest, longest_program(nand) / kMillion * 990'000);
      EXPECT_EQ(variation == 0, longest == longest_program(nand));
    }
  }
}

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
