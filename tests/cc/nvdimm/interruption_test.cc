// SPDX-License-Identifier: BSD-3-Clause
// Is any data lost, or any flash used up, when power fails during saves and recoveries?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/errors.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

using MediaShadow = ShadowOf<MediaModule, MediaWatch>;

// One LUN or two with cell times of a few ticks, so that every tick can be tried.
NvdimmParameters quick_flash(std::int64_t luns, MapPlace map, Bytes page_size = kPageBytes) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.nand.page_size = page_size;
  parameters.capacity = luns * 16 * 8 * page_size;
  parameters.ftl.over_provisioning = 120;
  parameters.ftl.map = map;
  parameters.ftl.map_entry = Bytes(256);
  parameters.ftl.map_cache = parameters.nand.parts() * 60 * kCachedEntryBytes;
  parameters.nand.channels = luns;
  parameters.nand.pages_per_block = 8;
  parameters.nand.read_time = Tick(2);
  parameters.nand.program_time = Tick(5);
  parameters.nand.erase_time = Tick(7);
  parameters.nand.slc_read_time = Tick(1);
  parameters.nand.slc_program_time = Tick(2);
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 1;
  return parameters;
}

// Runs until free blocks are few and the write part is full.
template <class S>
void work(S& shadow, int actions) {
  for (int i = 0; i < actions; ++i) {
    shadow.send(shadow.pages(), 7);
    shadow.finish_one();
    shadow.step();
  }
}

// Checks that the FTL's records are consistent and match the wear of the cells.
void check_books(Nvdimm& nvdimm) {
  const Ftl& ftl = nvdimm.ftl();
  for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
    ASSERT_NO_THROW(count_pages(ftl, lun));
    for (std::uint32_t block = 0; block < ftl.shape().blocks; ++block) {
      ASSERT_EQ(ftl.blocks(lun)[block].erases, NvdimmFaults::erases(nvdimm, lun, block));
    }
  }
}
void check_books(MediaModule& /*media*/) {}

// Interrupts a save at every tick of its hold-up time. After every `stride`-th of these ticks, also
// interrupts the recovery at each of its last `window` ticks, which only read spare areas. Returns
// the number of power failures.
template <class S>
int cut_everywhere(S& shadow, Tick window, std::int64_t stride) {
  const std::string state = shadow.saved();
  const PowerRecord whole = shadow.power_fail();
  EXPECT_GT(whole.hold_up, Tick(0));
  int failures = 1;
  for (Tick save{0}; save <= whole.hold_up + Tick(1); save += Tick(1)) {
    shadow.load(state);
    shadow.power_fail(save);
    EXPECT_TRUE(shadow.power_on());
    check_books(shadow.nvdimm());
    ++failures;
    const Tick end = shadow.nvdimm().power_record().recovery;
    for (Tick cut = later(Tick(0), end - window); save.value() % stride == 0 && cut <= end;
         cut += Tick(1)) {
      shadow.load(state);
      shadow.power_fail(save);
      EXPECT_EQ(shadow.power_on(cut), cut == end) << save.value() << " " << cut.value();
      if (cut < end) {
        shadow.power_fail();
        EXPECT_TRUE(shadow.power_on());
      }
      check_books(shadow.nvdimm());
      failures += 2;
      if (shadow.mismatches() > 0) {
        ADD_FAILURE() << "save cut at " << save.value() << ", recovery at " << cut.value();
        return failures;
      }
    }
  }
  return failures;
}

TEST(Interruption, AtEveryTickOfSaveAndRecoveryLosesNothing) {
  for (const MapPlace map : {MapPlace::full, MapPlace::cached}) {
    for (const std::int64_t luns : {1, 2, 3}) {
      const Bytes page_size = luns == 3 ? 4 * kPageBytes : luns * kPageBytes;
      NvdimmParameters parameters = quick_flash((luns + 1) / 2, map, page_size);
      parameters.nand.slc_blocks = luns == 1 ? 0 : 1;
      parameters.ftl.over_provisioning += luns == 1 ? 0 : 100;
      ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
      Shadow shadow(parameters, 7);
      work(shadow, 1500);
      check_books(shadow.nvdimm());
      EXPECT_EQ(shadow.nvdimm().statistics().ftl.cached_pages > 0, luns > 1);
      const int failures = cut_everywhere(shadow, Tick(150), 5);
      EXPECT_GT(failures, 500);
      EXPECT_EQ(shadow.mismatches(), 0u);
    }
  }
}

// LUNs that collect write pages of the map, also to each other. If one is interrupted, its
// unwritten pages precede those that the others would write.
TEST(Interruption, DuringARecoveryThatWritesPagesOfTheMapLosesNothing) {
  NvdimmParameters parameters = quick_flash(2, MapPlace::cached);
  parameters.nand.command_time = Tick(1);
  parameters.ftl.map_cache = 16 * kCachedEntryBytes;
  ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
  int cut = 0;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    Shadow shadow(parameters, seed);
    work(shadow, 1500);
    shadow.power_fail();
    const std::string state = shadow.saved();
    EXPECT_TRUE(shadow.power_on());
    const Tick end = shadow.nvdimm().power_record().recovery;
    for (Tick at{0}; at < end; at += Tick(1)) {
      shadow.load(state);
      EXPECT_FALSE(shadow.power_on(at));
      check_books(shadow.nvdimm());
      ++cut;
    }
    EXPECT_EQ(shadow.mismatches(), 0u);
  }
  EXPECT_GT(cut, 500);
}

TEST(Interruption, MediaLoseNothingAtEveryTick) {
  for (NvdimmParameters parameters : {small_media(), wide_media(6)}) {
    parameters.store_data = true;
    parameters.media.technology.write_time = Tick(6);
    parameters.media.technology.read_time = Tick(2);
    parameters.media.start_gap.psi = 2;
    parameters.line_burst = Tick(1);
    parameters.media.command_time = Tick(0);
    MediaShadow shadow(parameters, 7);
    for (int i = 0; i < 400; ++i) {
      shadow.send(shadow.pages(), 8);
      shadow.finish_one();
      if (i % 4 == 0) {
        shadow.step();
      }
    }
    for (int i = 0; i < 60; ++i) {
      shadow.finish_one();
    }
    EXPECT_GT(cut_everywhere(shadow, kNever, 1), 20);
    EXPECT_EQ(shadow.mismatches(), 0u);
  }
}

// Interrupts recoveries: first always just after the first cell operation has begun, then at random
// times after that, so that each recovery does some work. Interruptions use up pages. A recovery
// that is not interrupted regains all of them.
void use_nothing_up(Bytes page_size) {
  int cuts = 0;
  std::uint64_t torn = 0;
  for (const char* victim : {"greedy", "fifo", "random_victim", "d_choices", "cost_benefit"}) {
    NvdimmParameters parameters = quick_flash(1, MapPlace::full, page_size);
    parameters.ftl.victim = victim;
    Shadow shadow(parameters, 3);
    const auto interrupt = [&](Tick more) {
      const Tick reading = NvdimmFaults::reading_time(shadow.nvdimm(), 0);
      cuts += shadow.power_on(reading + more) ? 0 : 1;
      check_books(shadow.nvdimm());
      shadow.power_fail();
    };
    for (int round = 0; round < 12; ++round) {
      work(shadow, 300);
      shadow.power_fail();
      for (int i = 0; i < (round == 5 ? 1000 : 50); ++i) {
        interrupt(Tick(1));
      }
      for (int i = 0; i < 100; ++i) {
        interrupt(Tick(static_cast<std::int64_t>(1 + shadow.below(20))));
      }
      ASSERT_TRUE(shadow.power_on()) << victim;
      ASSERT_GE(shadow.nvdimm().ftl().blocks(0).free(), shadow.nvdimm().ftl().shape().gc_threshold);
      ASSERT_EQ(shadow.mismatches(), 0u) << victim;
    }
    torn += shadow.nvdimm().power_record().torn_pages;
  }
  EXPECT_GT(cuts, 5000);
  EXPECT_GT(torn, 3000u);
}

TEST(Interruption, AThousandFailuresInRecoveryUseNothingUp) {
  for (const Bytes page_size : {kPageBytes, 2 * kPageBytes, 4 * kPageBytes}) {
    use_nothing_up(page_size);
  }
}

// Ultracapacitors with energy for one worst-case save are not recharged before a recovery is
// complete.
TEST(Interruption, EnergyForTwoSavesIsNeededIfARecoveryIsCut) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.ftl.over_provisioning = 80;
  parameters.power.energy = 8;  // 3.2 ms at 2.5 W; 4 pages, with a read of each, take 2.8 ms
  ASSERT_TRUE(parameters.check().empty());
  const auto filled = [&parameters] {
    auto shadow = std::make_unique<Shadow>(parameters, 2);
    work(*shadow, 2000);
    return shadow;
  };
  // Cuts six saves after 600 us, before their first program ends, then lets one finish.
  // `recover_for`: time after which each recovery is cut.
  const auto cut = [](Shadow& shadow, Tick recover_for) {
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(shadow.power_fail(600 * kMicrosecond).hold_up, 600 * kMicrosecond);
      shadow.power_on(recover_for);
      work(shadow, recover_for == kNever ? 2000 : 0);
    }
    shadow.power_fail();
  };
  EXPECT_NO_THROW(cut(*filled(), kNever));
  EXPECT_THROW(cut(*filled(), Tick(0)), InputError);
}

// A save that lacks one tick leaves its last page torn. The recovery saves that page, so that
// flushed_pages counts every page once.
TEST(Interruption, EveryPageIsSavedOnceAndTornPagesAreCounted) {
  NvdimmParameters parameters = quick_flash(1, MapPlace::full);
  parameters.ftl.over_provisioning = 120;
  Shadow shadow(parameters, 7);
  work(shadow, 1500);
  const std::string state = shadow.saved();
  const std::uint64_t pages = shadow.power_fail().flushed_pages;
  const std::uint64_t torn = shadow.nvdimm().power_record().torn_pages;
  const Tick hold_up = shadow.nvdimm().power_record().hold_up;
  ASSERT_GT(pages, 2u);
  shadow.load(state);
  PowerRecord record = shadow.power_fail(hold_up - Tick(1));
  EXPECT_EQ(record.flushed_pages, pages - 1);
  EXPECT_EQ(record.torn_pages, torn + 1);
  EXPECT_EQ(record.hold_up, hold_up - Tick(1));
  shadow.save_and_load();
  EXPECT_TRUE(shadow.power_on());
  record = shadow.nvdimm().power_record();
  EXPECT_EQ(record.flushed_pages, pages);
  EXPECT_EQ(record.failures, 1u);
}

}  // namespace
}  // namespace hmsim
