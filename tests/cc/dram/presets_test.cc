// SPDX-License-Identifier: BSD-3-Clause
// Parts against literal values of the standards, in cycles, read separately from the code that
// computes them. One file, mostly tables.
#include "dram/presets.h"

#include <gtest/gtest.h>

#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

// A time of a part, and its name.
struct Column {
  const char* name;
  std::int64_t DramTiming::*time;
};
const std::vector<Column> kColumns{
    {"tck_ps", &DramTiming::tck_ps}, {"cl", &DramTiming::cl},       {"cwl", &DramTiming::cwl},
    {"trcd", &DramTiming::trcd},     {"trp", &DramTiming::trp},     {"tras", &DramTiming::tras},
    {"trc", &DramTiming::trc},       {"trrd", &DramTiming::trrd},   {"trrd_l", &DramTiming::trrd_l},
    {"tfaw", &DramTiming::tfaw},     {"twr", &DramTiming::twr},     {"twtr", &DramTiming::twtr},
    {"twtr_l", &DramTiming::twtr_l}, {"trtp", &DramTiming::trtp},   {"tccd", &DramTiming::tccd},
    {"tccd_l", &DramTiming::tccd_l}, {"trefi", &DramTiming::trefi}, {"trfc", &DramTiming::trfc}};

struct Expected {
  const char* name;
  DramOrganisation part;
  std::vector<std::int64_t> times;  // in the order of kColumns
};

constexpr std::int64_t kNone = kFromPreset;

const std::vector<Expected> kParts{
    // JESD79-3F
    {"ddr3_800e_1gb_x8",
     {1, 8, 16384, 128},
     {2500, 6, 5, 6, 6, 15, 21, 4, kNone, 16, 6, 4, kNone, 4, 4, kNone, 3120, 44}},
    {"ddr3_1066f_2gb_x16",
     {1, 8, 16384, 128},
     {1875, 7, 6, 7, 7, 20, 27, 6, kNone, 27, 8, 4, kNone, 4, 4, kNone, 4160, 86}},
    {"ddr3_1333h_2gb_x4",
     {1, 8, 32768, 256},
     {1500, 9, 7, 9, 9, 24, 33, 4, kNone, 20, 10, 5, kNone, 5, 4, kNone, 5200, 107}},
    {"ddr3_1600k_4gb_x8",
     {1, 8, 65536, 128},
     {1250, 11, 8, 11, 11, 28, 39, 5, kNone, 24, 12, 6, kNone, 6, 4, kNone, 6240, 208}},
    {"ddr3_1600k_8gb_x8",
     {1, 8, 65536, 256},
     {1250, 11, 8, 11, 11, 28, 39, 6, kNone, 32, 12, 6, kNone, 6, 4, kNone, 6240, 280}},
    {"ddr3_1600h_512mb_x16",
     {1, 8, 4096, 128},
     {1250, 9, 8, 9, 9, 28, 37, 6, kNone, 32, 12, 6, kNone, 6, 4, kNone, 6240, 72}},
    {"ddr3_1866m_4gb_x8",
     {1, 8, 65536, 128},
     {1071, 13, 9, 13, 13, 32, 45, 5, kNone, 26, 14, 7, kNone, 7, 4, kNone, 7282, 243}},
    // JESD79-4B
    {"ddr4_1600k_4gb_x4",
     {4, 16, 65536, 128},
     {1250, 11, 9, 11, 11, 28, 39, 4, 5, 16, 12, 2, 6, 6, 4, 5, 6240, 208}},
    {"ddr4_2133p_4gb_x8",
     {4, 16, 32768, 128},
     {937, 15, 11, 15, 15, 36, 51, 4, 6, 23, 16, 3, 8, 8, 4, 6, 8324, 278}},
    {"ddr4_2400r_8gb_x8",
     {4, 16, 65536, 128},
     {833, 16, 12, 16, 16, 39, 55, 4, 6, 26, 18, 3, 9, 9, 4, 6, 9363, 421}},
    {"ddr4_2666v_8gb_x8",
     {4, 16, 65536, 128},
     {750, 19, 14, 19, 19, 43, 62, 4, 7, 28, 20, 4, 10, 10, 4, 7, 10400, 467}},
    {"ddr4_3200aa_16gb_x16",
     {2, 8, 131072, 128},
     {625, 22, 16, 22, 22, 52, 74, 9, 11, 48, 24, 4, 12, 12, 4, 8, 12480, 880}},
    // JESD79-5B: DDR5-4800B 40-39-39, two sub-channels of 32 lines per DIMM; columns: 4 devices x 1
    // KB
    {"ddr5_4800b_16gb_x8",
     {8, 32, 65536, 64},
     {416, 40, 38, 39, 39, 77, 116, 8, 12, 32, 72, 6, 24, 18, 8, 12, 9375, 708}},
};

TEST(DramPresets, LiteralValuesOfTheStandards) {
  for (const Expected& part : kParts) {
    SCOPED_TRACE(part.name);
    const DramPreset preset = dram_preset(part.name);
    EXPECT_EQ(preset.organisation.groups, part.part.groups);
    EXPECT_EQ(preset.organisation.banks, part.part.banks);
    EXPECT_EQ(preset.organisation.rows, part.part.rows);
    EXPECT_EQ(preset.organisation.columns, part.part.columns);
    ASSERT_EQ(part.times.size(), kColumns.size());
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      EXPECT_EQ(preset.timing.*kColumns[i].time, part.times[i]) << kColumns[i].name;
    }
  }
}

TEST(DramPresets, TimesOfDdr5ByTheirLiteralValues) {
  const DramTiming timing = dram_preset("ddr5_4800b_16gb_x8").timing;
  EXPECT_EQ(timing.tccd_l_wr, 24);
  EXPECT_EQ(timing.burst, 8);
  EXPECT_EQ(timing.trfcsb, 312);
  EXPECT_EQ(timing.trefsbrd, 72);
  EXPECT_EQ(dram_preset("ddr5_4800b_16gb_x4").timing.tccd_l_wr, 48);
}

// tRAS 16, tRP 36, tRC 52, tRTP 5 and tWR 10 ns of JESD79-5C; all other times are the part's own.
TEST(DramPresets, PracChangesTheRowTimingsOnly) {
  const DramTiming plain = dram_preset("ddr5_4800b_16gb_x8").timing;
  const DramTiming prac = dram_preset("ddr5_4800b_prac_16gb_x8").timing;
  EXPECT_EQ(prac.tras, 39);
  EXPECT_EQ(prac.trp, 87);
  EXPECT_EQ(prac.trc, 126);
  EXPECT_EQ(prac.trtp, 12);
  EXPECT_EQ(prac.twr, 24);
  EXPECT_EQ(prac.cl, plain.cl);
  EXPECT_EQ(prac.trcd, plain.trcd);
  EXPECT_EQ(prac.tfaw, plain.tfaw);
  EXPECT_EQ(prac.trfc, plain.trfc);
  EXPECT_EQ(prac.tccd_l, plain.tccd_l);
  EXPECT_EQ(dram_preset("ddr5_6400b_prac_32gb_x16").timing.trp, 116);
}

}  // namespace
}  // namespace hmsim::testing
