// SPDX-License-Identifier: BSD-3-Clause
// Are parts consistent within a system, and are settings that a part cannot have refused?
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/errors.h"
#include "dram/presets.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

// A DIMM with one rank of 16 Gb x8 devices: two sub-channels, 16 GB, 38.4 GB/s at 4800 MT/s.
TEST(DramPartsInSystems, TwoChannelsAreTheSubChannelsOfADdr5Dimm) {
  const SystemConfig config = make_config({{"nvdimm.present", "false"},
                                           {"dram.preset", "ddr5_4800b_16gb_x8"},
                                           {"controller.channels", "2"}});
  EXPECT_EQ(config.dram_capacity(), Bytes(std::int64_t{16} << 30));
  const DramTiming& timing = config.dram.timing;
  EXPECT_EQ(timing.burst * 2 * 32 / 8, kLineBytes.value());  // beats of 32 lines
  const auto line_ps = static_cast<double>(timing.burst * timing.tck_ps);
  EXPECT_NEAR(2 * static_cast<double>(kLineBytes.value()) * 1e3 / line_ps, 38.4, 0.1);
}

TEST(DramPartsInSystems, EveryPartIsConsistentAndOfItsDensity) {
  std::set<std::string> names;
  for (const DramPreset& preset : dram_presets()) {
    SCOPED_TRACE(preset.name);
    EXPECT_TRUE(names.insert(preset.name).second) << "twice";
    EXPECT_FALSE(preset.source.empty());
    const SystemConfig config =
        make_config({{"nvdimm.present", "false"}, {"dram.preset", preset.name}});
    EXPECT_TRUE(config.check().empty());
    const std::size_t at = preset.name.find("gb_x");
    if (at != std::string::npos) {
      const std::size_t from = preset.name.rfind('_', at) + 1;
      const std::int64_t gigabits = std::stoll(preset.name.substr(from, at - from));
      const std::int64_t width = std::stoll(preset.name.substr(at + 4));
      const std::int64_t lines = config.dram.is("lpddr5")                           ? 16
                                 : config.dram.is("ddr5") || config.dram.is("hbm3") ? 32
                                                                                    : 64;
      EXPECT_EQ(config.dram.rank_capacity(), Bytes((gigabits << 30) / 8 * (lines / width)));
    }
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_GE(names.size(), 1 + 21 * 5 * 3 + 24 * 3 * 3 + 17 * 3 * 3 + 2 * 3 * 3 + 3 * 3 + 6 + 2u)
      << "a part is lost";
}

TEST(DramPartsInSystems, AnUnknownNameListsTheNearestOnly) {
  const std::string what = error_from([] { make_config({{"dram.preset", "ddr4_2400r_8gb_x9"}}); });
  EXPECT_TRUE(names(what, {"dram.preset: ", "'ddr4_2400r_8gb_x4'"}));
  EXPECT_LT(what.size(), 250u);
}

TEST(DramPartsInSystems, TimesOfBankGroupsAreRejectedForPartsWithoutGroups) {
  EXPECT_THROW(make_config({{"dram.timing.tCCD_L", "6"}}), InputError);
  EXPECT_THROW(make_config({{"dram.preset", "ddr4_2400r_8gb_x8"}, {"dram.timing.tCCD_L", "3"}}),
               InputError);
  EXPECT_NO_THROW(make_config({{"dram.preset", "ddr4_2400r_8gb_x8"}, {"dram.timing.tCCD_L", "7"}}));
}

TEST(DramPartsInSystems, Ddr5MovesFourRefreshesAtMost) {
  const Assignment ddr5{"dram.preset", "ddr5_4800b_16gb_x8"};
  EXPECT_NO_THROW(make_config({ddr5, {"dram.refresh_postpone", "4"}}));
  EXPECT_THROW(make_config({ddr5, {"dram.refresh_postpone", "5"}}), InputError);
  EXPECT_THROW(make_config({ddr5, {"dram.refresh_pull_in", "5"}}), InputError);
}

TEST(DramPartsInSystems, TheAddressMapNamesBankGroupsIfAndOnlyIfThePartHasThem) {
  const Assignment ddr4{"dram.preset", "ddr4_2400r_8gb_x8"};
  const char* const grouped = "row|group|bank|rank|column|channel";
  const char* const plain = "row|bank|rank|column|channel";
  EXPECT_NO_THROW(make_config({ddr4, {"controller.address_map", grouped}}));
  EXPECT_THROW(make_config({ddr4, {"controller.address_map", plain}}), InputError);
  EXPECT_THROW(make_config({{"controller.address_map", grouped}}), InputError);
  EXPECT_EQ(make_config({}).controller.address_map, plain);
  EXPECT_EQ(make_config({ddr4}).controller.address_map, "row|bank|rank|column|group|channel");
}

}  // namespace
}  // namespace hmsim::testing
