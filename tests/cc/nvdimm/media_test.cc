// SPDX-License-Identifier: BSD-3-Clause
// Do byte-addressable media take the correct time?
#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.h"
#include "nvdimm/design.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/statistic.h"

namespace hmsim {

namespace {

constexpr Tick kRead{67'500};
constexpr Tick kWrite{215'000};

TEST(Media, AReadTakesItsCellsTimeAndAWriteNone) {
  for (const std::int64_t decode : {0, 7'000}) {
    NvdimmParameters parameters = small_media();
    parameters.media.command_time = Tick(decode);
    MediaRig rig(parameters);
    EXPECT_EQ(rig.access(5, false), Tick(decode) + kRead);
    EXPECT_EQ(rig.access(6, true), Tick(decode));
    EXPECT_EQ(rig.access(6, false), Tick(decode)) << "from the write queue";
    rig.drain();
    EXPECT_EQ(rig.access(6, false), Tick(decode) + kRead);
    EXPECT_EQ(rig.module.statistics().queue_reads, 1u);
  }
}

TEST(Media, AFlushTakesACommandsTimeForAnyBacklogOfTheCells) {
  NvdimmParameters parameters = small_media();
  parameters.media.command_time = Tick(7'000);
  MediaRig rig(parameters);
  rig.access(0, true);
  rig.access(4, true);  // in the same bank
  const Tick start = rig.kernel.now();
  rig.module.flush(0, start);
  rig.drain();
  EXPECT_EQ(rig.acks.back(), (Ack{0, start + Tick(7'000)}));
  rig.module.finish(0, rig.kernel.now());
  EXPECT_TRUE(rig.module.idle());
}

TEST(Media, AFlushInFlightIsSavedAndEndsExactly) {
  NvdimmParameters parameters = small_media();
  parameters.media.command_time = Tick(7'000);
  MediaRig saved(parameters);
  saved.module.flush(3, saved.kernel.now());
  EXPECT_FALSE(saved.module.idle());
  Archive archive;
  archive(saved.kernel, saved.module, *saved.watch);
  MediaRig loaded(parameters);
  Archive state(archive.bytes());
  state(loaded.kernel, loaded.module, *loaded.watch);
  EXPECT_TRUE(state.at_end());
  loaded.kernel.notify_all();
  for (MediaRig* const rig : {&saved, &loaded}) {
    rig->drain();
    ASSERT_EQ(rig->acks, (std::vector<Ack>{{3, Tick(7'000)}}));
    rig->module.finish(3, rig->kernel.now());
    EXPECT_TRUE(rig->module.idle());
  }
}

// Covers a line that already waits for its cells and one that is in them: bytes outside the mask
// are kept.
TEST(Media, APostedWriteLeavesItsBytesAtOnce) {
  NvdimmParameters parameters = small_media();
  parameters.store_data = true;
  parameters.posted_writes = 4;
  parameters.command_queue = 8;
  ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
  LineData all;
  all.bytes.fill(7);
  LineData low;
  low.bytes.fill(9);
  low.mask = 0xFFFF'FFFF;
  LineBytes both;
  std::fill(both.begin(), both.begin() + 32, std::uint8_t{9});
  std::fill(both.begin() + 32, both.end(), std::uint8_t{7});
  for (const int test : {0, 1, 2, 3}) {
    const bool in_cells = test % 2 != 0;
    parameters.media.line = parameters.media.interleave = Bytes(test < 2 ? 64 : 256);
    MediaRig rig(parameters);
    const Address line(5 * 64);
    rig.module.post(line, all, 0, rig.kernel.now());
    EXPECT_EQ(rig.module.peek(line), all.bytes);
    if (in_cells) {
      rig.drain();
      EXPECT_EQ(rig.module.peek(line), all.bytes);
    }
    rig.module.post(line, low, 0, rig.kernel.now());
    EXPECT_EQ(rig.module.peek(line), both);
    rig.drain();
    EXPECT_EQ(rig.module.peek(line), both);
    EXPECT_EQ(rig.credits, 2);
  }
}

// All lines that may have to be saved are in one bank.
TEST(Media, APowerFailureSavesTheQueueAndSparedWrites) {
  NvdimmParameters parameters = small_media();
  parameters.media.write_queue = 8;
  for (const std::int64_t spared : {0, 5}) {
    parameters.spared_writes = spared;
    EXPECT_EQ(MediaRig(parameters).module.worst_hold_up(), (8 + spared) * kWrite);
  }
}

// Sources give times for both kinds, but energies only for one.
TEST(Media, EnergyWithoutASourceIsNotCounted) {
  const auto of = [](NvdimmKind kind) {
    return kNvdimmKinds.at(static_cast<std::size_t>(kind)).technology;
  };
  EXPECT_GT(of(NvdimmKind::pcm).read_energy, 0);
  EXPECT_GT(of(NvdimmKind::pcm).write_energy, of(NvdimmKind::pcm).read_energy);
  EXPECT_EQ(of(NvdimmKind::sttram).read_energy, 0);
  EXPECT_EQ(of(NvdimmKind::sttram).write_energy, 0);
  EXPECT_LT(of(NvdimmKind::sttram).write_time, of(NvdimmKind::pcm).write_time);
}

TEST(Media, EachBankIsBusyIndependently) {
  MediaRig rig(small_media());
  const std::vector<std::int64_t> lines{0, 1, 4};  // 0 and 4 are in one bank
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    rig.module.command(tag, Address(lines[tag] * 64), false, Tick(0));
  }
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 3u);
  EXPECT_EQ(rig.acks[0], (Ack{0, kRead}));
  EXPECT_EQ(rig.acks[1], (Ack{1, kRead}));
  EXPECT_EQ(rig.acks[2], (Ack{2, 2 * kRead}));
}

TEST(Media, InterleavingPutsNeighboursIntoOneBank) {
  NvdimmParameters parameters = small_media();
  parameters.media.interleave = Bytes(128);
  MediaRig rig(parameters);
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    rig.module.command(tag, Address(tag * 64), false, Tick(0));
  }
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 3u);
  EXPECT_EQ(rig.acks[0], (Ack{0, kRead}));
  EXPECT_EQ(rig.acks[1], (Ack{2, kRead}));
  EXPECT_EQ(rig.acks[2], (Ack{1, 2 * kRead}));
}

TEST(Media, ReadsGoFirstUntilWritesWaitForTheQueue) {
  NvdimmParameters parameters = small_media();
  parameters.media.write_queue = 1;
  MediaRig rig(parameters);
  rig.module.command(0, Address(0), false, Tick(0));
  rig.module.command(1, Address(4 * 64), true, Tick(0));
  rig.kernel.step(kNever);  // the write is ready
  rig.module.finish(1, Tick(0));
  rig.module.command(2, Address(8 * 64), false, Tick(0));
  rig.module.command(3, Address(12 * 64), false, Tick(0));
  rig.kernel.run_until(Tick(1));
  rig.module.command(4, Address(16 * 64), true, rig.kernel.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 5u);
  // The bank reads 0. Then it is the write's turn, because another one waits.
  EXPECT_EQ(rig.acks[1], (Ack{0, kRead}));
  EXPECT_EQ(rig.acks[2], (Ack{4, kRead + kWrite}));
  EXPECT_EQ(rig.acks[3], (Ack{2, 2 * kRead + kWrite}));
  EXPECT_EQ(rig.acks[4], (Ack{3, 3 * kRead + kWrite}));
  EXPECT_EQ(rig.module.statistics().queue_full, 1u);
}

TEST(Media, AWriteToALineOfTheQueueUsesItsEntry) {
  NvdimmParameters parameters = small_media();
  parameters.media.write_queue = 1;
  MediaRig rig(parameters);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.access(3, true), Tick(0));
  }
  rig.drain();
  EXPECT_EQ(rig.module.statistics().merged_writes, 4u);
  EXPECT_EQ(rig.module.statistics().writes, 2u) << "the first, and all later ones at once";
}

TEST(Media, WritesKeepAllBanksBusyButForMoves) {
  NvdimmParameters parameters = small_media();
  parameters.media.start_gap.psi = 10;
  MediaRig rig(parameters);
  constexpr std::int64_t kCount = 4000;
  rig.write(kCount, [](std::int64_t i) { return i % 256; });
  const std::int64_t each = kCount / 4;
  EXPECT_EQ(rig.kernel.now(), each * kWrite + each / 10 * (kRead + kWrite));
  EXPECT_EQ(rig.module.statistics().gap_moves, static_cast<Counter>(4 * each / 10));
}

TEST(Media, AWholeRotationWearsAllPlacesEqually) {
  for (const bool randomised : {false, true}) {
    NvdimmParameters parameters = small_media();
    parameters.media.banks = 1;
    parameters.media.start_gap.regions = 4;  // of 64 lines, in 65 places
    parameters.media.start_gap.psi = 3;
    parameters.media.start_gap.randomised = randomised;
    MediaRig rig(parameters);
    for (int i = 0; i < 64 * 65 * 3; ++i) {
      rig.access(17, true);
      rig.drain();
    }
    // 64 x psi writes and 64 copies into every place of the region.
    EXPECT_EQ(rig.module.statistics().gap_moves, 64u * 65);
    EXPECT_EQ(rig.module.cells().most_worn(), 64u * 4);
    EXPECT_EQ(rig.module.cells().wear(), 65u * 64 * 4);
  }
}

TEST(Media, ReadsReportTheirWaitForAMove) {
  NvdimmParameters parameters = small_media();
  parameters.media.start_gap.psi = 1;
  MediaRig rig(parameters);
  rig.access(0, true);
  rig.kernel.run_until(kWrite + Tick(10'000));  // during the move
  rig.module.command(1, Address(4 * 64), false, rig.kernel.now());
  rig.drain();
  EXPECT_EQ(rig.acks.back().time, kWrite + (kRead + kWrite) + kRead);
  EXPECT_EQ(rig.module.gc_blocked(1), kRead + kWrite - Tick(10'000));
}

TEST(Media, SharesOfTimeRestartAtAReset) {
  MediaRig rig(small_media());
  StatisticRegistry registry;
  register_media_statistics(registry, {&rig.module});
  const auto value = [&registry](const std::string& path) {
    return testing::statistic_of(registry, "nvdimm.media." + path).value;
  };
  rig.module.command(0, Address(0), true, Tick(0));
  rig.module.command(1, Address(64), true, Tick(0));
  rig.drain();  // both stay in the queue, and one of them in the cells, to the end
  rig.module.finish(0, rig.kernel.now());
  rig.module.finish(1, rig.kernel.now());
  rig.drain();
  EXPECT_DOUBLE_EQ(value("queue_occupancy"), 2.0 / 8);
  EXPECT_DOUBLE_EQ(value("bank_utilisation"), 2.0 / 4);
  registry.reset(rig.kernel.now());
  rig.access(2, false);
  EXPECT_DOUBLE_EQ(value("queue_occupancy"), 0);
  EXPECT_DOUBLE_EQ(value("bank_utilisation"), 1.0 / 4);
}

TEST(Media, CheckpointsContinueExactly) {
  const auto traffic = [](MediaRig& rig, std::int64_t from) {
    rig.write(300, [from](std::int64_t i) { return (i * 37 + from) % 256; });
  };
  NvdimmParameters parameters = small_media();
  parameters.media.start_gap.psi = 5;
  MediaRig whole(parameters);
  MediaRig half(parameters);
  const auto state = [](MediaRig& rig) {
    Archive archive;
    archive(rig.kernel, rig.module, *rig.watch);
    return archive.bytes();
  };
  traffic(whole, 0);
  traffic(half, 0);
  Archive loaded(state(half));
  MediaRig other(parameters);
  loaded(other.kernel, other.module, *other.watch);
  EXPECT_TRUE(loaded.at_end());
  other.kernel.notify_all();
  traffic(whole, 1);
  traffic(other, 1);
  EXPECT_EQ(state(whole), state(other));
  parameters.media.banks = 2;
  MediaRig foreign(parameters);
  Archive again(state(half));
  EXPECT_THROW(again(foreign.kernel, foreign.module), InputError);
}

TEST(Media, NothingIsKeptOutsideDataMode) {
  MediaRig rig(small_media());
  EXPECT_THROW(rig.module.power_fail(Tick(0)), Fault);
  const Address start(kPageBytes.value());
  EXPECT_EQ(rig.module.trim(start, 2 * kPageBytes, Tick(0)), 2);
  EXPECT_EQ(rig.module.trim(start + Address(1), 2 * kPageBytes, Tick(0)), 1);
  EXPECT_EQ(rig.module.trim(start + Address(1), kPageBytes, Tick(0)), 0);
  EXPECT_EQ(rig.module.trim(start + Address(1), Bytes(1), Tick(0)), 0);
}

TEST(MediaParameters, ErrorsNameTheInconsistentParameter) {
  const auto names = [](const NvdimmParameters& parameters) {
    std::vector<std::string> found;
    for (const ParameterError& error : parameters.check()) {
      found.push_back(error.name);
    }
    return found;
  };
  using Names = std::vector<std::string>;
  NvdimmParameters parameters = small_media();
  EXPECT_EQ(names(parameters), Names());
  parameters.media.banks = 3;
  EXPECT_EQ(names(parameters), Names{"nvdimm.capacity"});
  parameters = small_media();
  parameters.media.interleave = Bytes(100);
  EXPECT_EQ(names(parameters), Names{"nvdimm.media.interleave"});
  parameters = small_media();
  parameters.media.line = Bytes(256);
  EXPECT_EQ(names(parameters), Names{"nvdimm.media.interleave"});
  parameters.media.line = parameters.media.interleave = Bytes(192);
  EXPECT_EQ(names(parameters), Names{"nvdimm.media.line"});
  parameters = small_media();
  parameters.media.write_queue = 4096;
  parameters.power.energy = 1;
  EXPECT_EQ(names(parameters), Names{"nvdimm.power.energy"});
}

// 10 mJ last 4 ms at 2.5 W: 4096 and 555 lines of 860 ns, all in one bank, take slightly less.
TEST(MediaParameters, EnergyCoversTheQueueAndSparedWritesOfTheHost) {
  NvdimmParameters parameters = small_media();
  parameters.media.technology.write_time = Tick(860'000);
  parameters.media.write_queue = 4096;
  parameters.power.energy = 10;
  parameters.spared_writes = 555;
  EXPECT_TRUE(parameters.check().empty());
  parameters.spared_writes = 556;
  ASSERT_EQ(parameters.check().size(), 1u);
  EXPECT_NE(parameters.check()[0].message.find("4652 lines"), std::string::npos);
}

}  // namespace
}  // namespace hmsim
