// SPDX-License-Identifier: BSD-3-Clause
// Does the reader of DRAMsim3's .ini files reject input that DRAMsim3 would silently misread?
#include "dram/dramsim3_ini.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/cc/dram/standards.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

const std::string kGood =
    "; a comment\n[dram_structure]\nprotocol = DDR3\nbankgroups = 1\nbanks_per_group = 8\n"
    "rows = 65536\ncolumns = 1024\ndevice_width = 8\nBL = 8\n"
    "[timing]\ntCK = 1.25 ; ns\nCL = 11\nCWL = 8\ntRCD = 11\ntRP = 11\ntRAS = 28\ntRFC = 208\n"
    "tRFC2 = 208\ntREFI = 6240\ntRRD_S = 5\ntWTR_S = 6\ntFAW = 24\ntWR = 12\ntRTP = 6\n"
    "tCCD_S = 4\ntRTRS = 1\n[system]\nbus_width = 64\n[thermal]\nanything = 1\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of(const std::string& text, bool mend = false) {
  return error_from([&] { read_dramsim3_ini(text, "x.ini", mend); });
}

TEST(Dramsim3Ini, SuppliesOrganisationAndTiming) {
  const Dramsim3Ini ini = read_dramsim3_ini(kGood, "x.ini", false);
  EXPECT_EQ(ini.standard, &standard("ddr3"));
  EXPECT_EQ(ini.organisation.banks, 8);
  EXPECT_EQ(ini.organisation.columns, 128);
  EXPECT_EQ(ini.timing.tck_ps, 1250);
  EXPECT_EQ(ini.timing.trefi, 6240);
  EXPECT_EQ(ini.timing.trc, 39);
  EXPECT_EQ(ini.timing.burst, 4);
  EXPECT_EQ(ini.timing.tccd_l, kFromPreset);
}

TEST(Dramsim3Ini, NamesTheRightKeyForAMisspeltOne) {
  const std::string text = replaced(kGood, "tREFI", "REFI");
  const std::string error = error_of(text);
  EXPECT_TRUE(names(error, {"x.ini:19: ", "'REFI'", "'tREFI'?"}));
  EXPECT_EQ(read_dramsim3_ini(text, "x.ini", true).timing.trefi, 6240);
}

TEST(Dramsim3Ini, RejectsMissingRepeatedOutOfRangeAndUnmodelledKeys) {
  EXPECT_TRUE(names(error_of(replaced(kGood, "tRTP = 6\n", "")), {"x.ini:", "tRTP"}));
  EXPECT_TRUE(
      names(error_of(replaced(kGood, "CL = 11", "CL = 11\nCL = 12")), {"x.ini:13: ", "CL"}));
  EXPECT_TRUE(
      names(error_of(replaced(kGood, "tFAW = 24", "tFAW = many")), {"x.ini:22: tFAW:", "'many'"}));
  EXPECT_TRUE(names(error_of(replaced(kGood, "DDR3", "HBM2")),
                    {"x.ini:3: protocol:", "'HBM2'", "DDR3", "DDR4"}));
  EXPECT_TRUE(names(error_of(replaced(kGood, "BL = 8", "BL = 4")), {"x.ini:9: BL:", "8"}));
  EXPECT_TRUE(names(error_of(replaced(kGood, "rows = 65536", "rows = 65535")),
                    {"x.ini:6: rows:", "power of two"}));
  EXPECT_TRUE(
      names(error_of(replaced(kGood, "bankgroups = 1", "bankgroups = 4")), {"x.ini:1: tCCD_L:"}));
  EXPECT_TRUE(
      names(error_of(replaced(kGood, "[thermal]", "[termal]")), {"x.ini:29: ", "[termal]"}));
}

}  // namespace
}  // namespace hmsim::testing
