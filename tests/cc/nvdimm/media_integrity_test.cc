// SPDX-License-Identifier: BSD-3-Clause
// Do byte-addressable media keep their data?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {

namespace {

using MediaShadow = ShadowOf<MediaModule, MediaWatch>;

NvdimmParameters any_media(Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  NvdimmParameters p = small_media();
  p.store_data = true;
  p.command_queue = 4 + below(12);
  p.media.command_time = Tick(below(2) * 5'000);
  p.media.banks = std::int64_t{1} << below(4);
  p.media.interleave = Bytes(64LL << below(3));
  p.media.write_queue = 1 + below(8);
  p.media.start_gap.psi = below(5);
  p.media.start_gap.regions = std::int64_t{1} << below(3);
  p.media.start_gap.randomised = below(2) != 0;
  return p;
}

TEST(MediaIntegrity, EveryReadReturnsTheLastCompletedWrite) {
  std::uint64_t reads = 0;
  std::uint64_t saved = 0;
  std::uint64_t failures = 0;
  Counter moves = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed, 5);
    const NvdimmParameters parameters = any_media(random);
    ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
    MediaShadow shadow(parameters, seed);
    PowerRecord record;
    for (int action = 0; action < 2000; ++action) {
      shadow.send(shadow.pages(), 5);
      if (random.below(2) != 0) {
        shadow.finish_one();
      }
      if (random.below(64) == 0) {
        shadow.trim(shadow.pages());
      }
      for (std::uint64_t steps = random.below(4); steps > 0; --steps) {
        shadow.step();
      }
      switch (random.below(400)) {
        case 0:
          moves += shadow.nvdimm().statistics().gap_moves;
          record = shadow.rough_power_cycle(static_cast<int>(random.below(3)));
          break;
        case 1:
          shadow.save_and_load();
          break;
        default:
          break;
      }
      ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed << " action " << action;
    }
    shadow.settle();
    shadow.check_all();
    ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed;
    reads += shadow.reads();
    saved += record.saved_lines;
    failures += record.failures;
    moves += shadow.nvdimm().statistics().gap_moves;
  }
  EXPECT_GT(reads, 10'000u);
  EXPECT_GT(failures, 300u);
  EXPECT_GT(saved, 100u);
  EXPECT_GT(moves, 10'000u);
}

TEST(MediaIntegrity, ASkippedCopyAndALostEntryAreCaught) {
  for (const bool copy : {true, false}) {
    NvdimmParameters parameters = small_media();
    parameters.store_data = true;
    parameters.media.start_gap.psi = 0;
    MediaShadow shadow(parameters, 1);
    for (int i = 0; i < 4000; ++i) {
      shadow.send(shadow.pages(), 8);
      shadow.step();
      if (i % 2 == 0) {
        shadow.finish_one();
      }
    }
    shadow.check_all();
    ASSERT_EQ(shadow.mismatches(), 0u);
    if (copy) {
      MediaFaults::skip_copy(shadow.nvdimm(), 2);
    } else {
      while (!MediaFaults::drop_entry(shadow.nvdimm())) {
        shadow.send(shadow.pages(), 8);
        shadow.finish_one();
        shadow.step();
      }
    }
    shadow.check_all();
    EXPECT_GT(shadow.mismatches(), 0u);
  }
}

}  // namespace
}  // namespace hmsim
