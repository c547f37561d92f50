// SPDX-License-Identifier: BSD-3-Clause
// Does a saved state hold all work in flight at any time, and is a damaged one harmless?
#include <gtest/gtest.h>

#include "nvdimm/buffer/frame_bytes.h"
#include "tests/cc/nvdimm/busy.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/shadow.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

// Returns an NVDIMM that releases frames at data-in. Its state must therefore hold which planes'
// pages have arrived.
NvdimmParameters of_four_planes() {
  NvdimmParameters parameters = of_four_luns(kPageBytes, 4);
  parameters.nand.multi_plane = true;
  parameters.buffer.write_size = 32 * kPageBytes;
  parameters.buffer.release = FrameRelease::datain;
  return parameters;
}

// The state is loaded over the state of another NVDIMM.
TEST(SavedState, IsEqualOnceLoadedWithAnyWorkInFlight) {
  constexpr int kSteps = 3'000;
  constexpr int kBetween = 7;
  std::vector<NvdimmParameters> all = busy_nvdimms();
  all.push_back(of_four_planes());
  Counter programs = 0;
  for (const NvdimmParameters& parameters : all) {
    Busy busy(parameters);
    Rig other(parameters);
    for (int i = 0; i < kSteps; ++i) {
      busy.step();
      if (i % kBetween == 0) {
        const std::string state = busy.rig().saved();
        Archive archive(state);
        ASSERT_NO_THROW(other.serialize(archive)) << "step " << i;
        ASSERT_TRUE(archive.at_end());
        ASSERT_EQ(other.saved(), state) << "step " << i;
      }
    }
    programs += busy.rig().statistics().nand.page_programs;
  }
  EXPECT_GT(programs, 500u);
}

// Writes lines of twice as many pages as the write part has frames; then reads all of them.
TEST(SavedState, HoldsPostedWritesAndTheirReaders) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.command_queue = 24;
  parameters.posted_writes = 8;
  parameters.precondition.fill = 0.9;
  Rig rig(parameters);
  for (std::int64_t page = 0; page < 8; ++page) {
    rig.nvdimm().post(line_address(page), LineData(), 0, rig.now());
  }
  for (std::uint32_t tag = 0; tag < 8; ++tag) {
    rig.nvdimm().command(tag, line_address(tag), false, rig.now());
  }
  while (rig.statistics().buffer.read_lookups + rig.statistics().buffer.write_lookups < 16) {
    rig.kernel().step(kNever);
  }
  Rig other(parameters);
  Archive archive(rig.saved());
  other.serialize(archive);
  EXPECT_EQ(other.saved(), rig.saved());
  // Acknowledged commands keep their frames until finish(), so both NVDIMMs need these calls.
  const std::vector<Ack> before = rig.acks;
  ASSERT_LT(before.size(), 8u);
  for (Rig* each : {&rig, &other}) {
    for (const Ack& ack : before) {
      each->nvdimm().finish(ack.tag, each->now());
    }
    each->drain();
  }
  EXPECT_EQ(rig.acks.size(), 8u);
  EXPECT_EQ(other.acks,
            std::vector<Ack>(rig.acks.begin() + static_cast<std::ptrdiff_t>(before.size()),
                             rig.acks.end()));
}

// A state with any word changed is rejected, or the NVDIMM continues without a crash.
TEST(SavedState, DamagedWordsAreRejectedOrHarmless) {
  for (const NvdimmParameters& parameters : busy_nvdimms()) {
    Busy busy(parameters);
    for (int i = 0; i < 2'000; ++i) {
      busy.step();
    }
    Archive saved;
    busy.rig().nvdimm().serialize(saved);
    const testing::Sweep done = testing::sweep(
        saved.bytes(), 150, [&](const std::string& state) { load_and_go_on(parameters, state); });
    EXPECT_GT(done.refused, 20);
    EXPECT_GT(done.taken, 20);
  }
}

using MediaShadow = ShadowOf<MediaModule, MediaWatch>;

NvdimmParameters busy_media(bool wide) {
  NvdimmParameters parameters = wide ? wide_media(3) : small_media();
  parameters.command_queue = 24;
  parameters.store_data = true;
  parameters.media.command_time = 5 * kNanosecond;
  parameters.media.start_gap.psi = 3;
  parameters.media.start_gap.regions = 2;
  return parameters;
}

TEST(SavedState, MediaStateIsEqualOnceLoadedWithAnyWorkInFlight) {
  for (const bool wide : {false, true}) {
    MediaShadow shadow(busy_media(wide), 1);
    for (int i = 0; i < 2'000; ++i) {
      shadow.send(shadow.pages(), 5);
      if (shadow.below(2) == 0) {
        shadow.finish_one();
      }
      if (shadow.below(2) == 0) {
        shadow.step();
      }
      MediaShadow other(busy_media(wide), 1);
      other.load(shadow.saved());
      ASSERT_EQ(other.saved(), shadow.saved()) << i;
    }
  }
}

// In data mode a frame has all of its bytes or none.
TEST(FrameBytes, AreWholeOrNone) {
  const LineBytes line{{1, 2, 3}};
  for (const BufferGranularity own : {BufferGranularity::page, BufferGranularity::item}) {
    FrameBytes bytes(own);
    EXPECT_EQ(bytes.read(0, 7), LineBytes());
    bytes.write(3, 7, line.data());
    for (std::uint32_t frame = 0; frame < 6; ++frame) {
      EXPECT_EQ(bytes.read(frame, 7), frame == 3 ? line : LineBytes()) << frame;
    }
    Archive saved;
    bytes.serialize(saved);
    for (const BufferGranularity other : {BufferGranularity::page, BufferGranularity::item}) {
      FrameBytes loaded(other);
      EXPECT_EQ(testing::takes_all_of(saved.bytes(), loaded), own == other);
      EXPECT_TRUE(own != other || loaded.read(3, 7) == line);
    }
  }
}

}  // namespace
}  // namespace hmsim
