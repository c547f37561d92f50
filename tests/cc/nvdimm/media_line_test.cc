// SPDX-License-Identifier: BSD-3-Clause
// Do media lines wider than the host's combine writes and serve reads as computed by hand?
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/media_rig.h"

namespace hmsim {

namespace {

constexpr Tick kRead{67'500};
constexpr Tick kWrite{215'000};

// Returns wide media with room for `lines` media lines of 256 B.
NvdimmParameters wide(std::int64_t lines, std::int64_t buffer) {
  NvdimmParameters parameters = wide_media(buffer);
  parameters.capacity = std::max(lines * Bytes(256), Bytes(16 << 10));
  return parameters;
}

TEST(MediaLine, AReadThatMissesFetchesItsLineAndOneThatHitsTakesACommand) {
  NvdimmParameters parameters = wide_media(2);
  parameters.media.command_time = Tick(7'000);
  MediaRig rig(parameters);
  const auto hits = [&rig](std::int64_t line) {
    const Tick time = rig.access(line, false);
    EXPECT_TRUE(time == Tick(7'000) || time == Tick(7'000) + kRead) << time.value();
    return time == Tick(7'000);
  };
  EXPECT_FALSE(hits(5));
  EXPECT_TRUE(hits(4) && hits(7));
  EXPECT_FALSE(hits(8));
  EXPECT_TRUE(hits(6));    // line 1 of the medium, now used later than line 2
  EXPECT_FALSE(hits(12));  // replaces line 2
  EXPECT_TRUE(hits(5));
  EXPECT_FALSE(hits(8));
  EXPECT_EQ(rig.value("reads"), 4);
  EXPECT_EQ(rig.value("buffer_reads"), 4);
}

TEST(MediaLine, ReadsOfALineThatIsUnderWayJoinIt) {
  MediaRig rig(wide_media(2));
  for (std::uint32_t tag = 0; tag < 5; ++tag) {  // the last is in the same bank, of 4
    rig.module.command(tag, Address((tag < 4 ? tag : 16) * 64), false, Tick(0));
  }
  rig.drain();
  EXPECT_EQ(rig.acks,
            (std::vector<Ack>{{0, kRead}, {1, kRead}, {2, kRead}, {3, kRead}, {4, 2 * kRead}}));
  EXPECT_EQ(rig.value("joined_reads"), 3);
}

// Optane's read latency rises beyond 16 KiB, 64 lines of 256 B (LENS, MICRO 2020).
TEST(MediaLine, ALoopHitsUpToTheBuffersSize) {
  for (const std::int64_t lines : {63, 64, 65, 80}) {
    MediaRig rig(wide(128, 64));
    for (std::int64_t i = 0; i < 10 * lines; ++i) {
      rig.access(i % lines * 4, false);
    }
    EXPECT_EQ(rig.value("reads"), lines <= 64 ? lines : 10 * lines);
  }
}

TEST(MediaLine, SequentialWritesAreWrittenOnce) {
  for (const std::int64_t buffer : {1, 4, 64}) {
    MediaRig rig(wide(64, buffer));
    rig.write(5 * 256, [](std::int64_t i) { return i % 256; });
    EXPECT_EQ(rig.value("writes"), 5 * 64);
    EXPECT_EQ(rig.value("updates"), 0);
    EXPECT_EQ(rig.value("amplification"), 1.0);
  }
}

// No line is written twice while it is in the buffer: 4 x 64 B for each 64 B, save for the lines
// that are still there.
TEST(MediaLine, RandomWritesToALargeSetCostALineEach) {
  constexpr std::int64_t kCount = 1000;
  constexpr std::int64_t kLines = 4096;
  MediaRig rig(wide(kLines, 4));
  Random random(3);
  rig.write(kCount, [&](std::int64_t i) {
    return i * 1237 % kLines * 4 + static_cast<std::int64_t>(random.below(4));
  });
  EXPECT_EQ(rig.value("updates"), kCount - 4);
  EXPECT_EQ(rig.value("amplification"), 4.0 * (kCount - 4) / kCount);
}

// In each round, all sectors of 16 lines are written once, in random order.
TEST(MediaLine, WritesWithinTheBufferCombineInAnyOrder) {
  MediaRig rig(wide_media(16));
  Random random(5);
  std::vector<std::int64_t> order(64);
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(i);
  }
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.below(i)]);
    }
    rig.write(64, [&](std::int64_t i) { return order[static_cast<std::size_t>(i)]; });
  }
  EXPECT_EQ(rig.value("writes"), 20 * 16);
  EXPECT_EQ(rig.value("amplification"), 1.0);
}

// A line needs 4 (1 + 1/2 + 1/3 + 1/4) = 25/3 independent writes until each sector has one (coupon
// collector), so 4 x 64 B are written for 25/3 x 64 B.
TEST(MediaLine, IndependentWritesWithinTheBufferCombineAsCouponsAreCollected) {
  MediaRig rig(wide_media(16));
  Random random(7);
  for (int i = 0; i < 40'000; ++i) {
    rig.access(static_cast<std::int64_t>(random.below(64)), true);
    rig.drain();
  }
  EXPECT_NEAR(rig.value("amplification"), 0.48, 0.01);
}

// The experiment of Yang et al., FAST 2020, section 5.1: the first halves of all lines of a region
// are written, then the second halves. Up to 64 lines, each pair of halves combines.
TEST(MediaLine, HalvesOfLinesCombineUpToTheBuffersSize) {
  for (const std::int64_t lines : {16, 64, 65, 72}) {
    MediaRig rig(wide(128, 64));
    for (std::int64_t i = 0; i < 10 * 4 * lines; ++i) {
      const std::int64_t half = i / 2 % (2 * lines);
      rig.access(half % lines * 4 + half / lines * 2 + i % 2, true);
      rig.drain();
    }
    const auto left = static_cast<double>(lines <= 64 ? 0 : 64);
    const auto halves = static_cast<double>(20 * lines);
    EXPECT_EQ(rig.value("amplification"), lines <= 64 ? 1 : 2 * (halves - left) / halves) << lines;
  }
}

// The write queue has one entry, so the third write waits until the first line has left the buffer.
TEST(MediaLine, APartIsReadBeforeItIsWrittenUnlessTheLineIsKnown) {
  enum class Read { never, before, after };
  for (const Read read : {Read::never, Read::before, Read::after}) {
    NvdimmParameters parameters = wide_media(1);
    parameters.media.write_queue = 1;
    MediaRig rig(parameters);
    if (read == Read::before) {
      EXPECT_EQ(rig.access(1, false), kRead);
    }
    EXPECT_EQ(rig.access(0, true), Tick(0));
    rig.drain();
    EXPECT_EQ(rig.access(0, false), Tick(0));
    if (read == Read::after) {
      EXPECT_EQ(rig.access(1, false), kRead) << "the sectors that the host did not write";
    }
    EXPECT_EQ(rig.access(4, true), Tick(0)) << "into the write queue";
    EXPECT_EQ(rig.access(8, true), read == Read::never ? kRead + kWrite : kWrite);
    EXPECT_EQ(rig.value("updates"), read == Read::never ? 1 : 0);
  }
}

// The saved lines: two whole ones and one of which a sector is written. The first two are in one
// bank; the third is read first.
TEST(MediaLine, APowerFailureSavesTheCombiningBuffer) {
  NvdimmParameters parameters = wide_media(8);
  parameters.store_data = true;
  parameters.spared_writes = 3;
  MediaRig rig(parameters);
  EXPECT_EQ(rig.module.worst_hold_up(), (8 + 8 + 3) * (kRead + kWrite));
  LineData data;
  const auto write = [&](std::int64_t line) {
    data.bytes.fill(static_cast<std::uint8_t>(line + 1));
    rig.module.command(0, Address(line * 64), true, rig.kernel.now());
    rig.drain();
    rig.module.write_line(0, data);
    rig.module.finish(0, rig.kernel.now());
    rig.drain();
  };
  rig.access(0, false);
  rig.access(16, false);
  for (const std::int64_t line : {1, 17, 6}) {
    write(line);
  }
  const PowerRecord record = rig.module.power_fail(rig.kernel.now());
  EXPECT_EQ(record.saved_lines, 3u);
  EXPECT_EQ(record.hold_up, 2 * kWrite);
  MediaRig after(parameters);
  EXPECT_TRUE(after.module.restore(rig.module, after.kernel.now()));
  for (std::int64_t line = 0; line < 32; ++line) {
    const bool written = line == 1 || line == 17 || line == 6;
    LineBytes expected{};
    expected.fill(static_cast<std::uint8_t>(written ? line + 1 : 0));
    EXPECT_EQ(after.module.peek(Address(line * 64)), expected) << line;
  }
  EXPECT_EQ(after.access(0, false), kRead) << "the read buffer is empty";
}

}  // namespace
}  // namespace hmsim
