// SPDX-License-Identifier: BSD-3-Clause
// Do windows measure the right values, request by request?
#include <gtest/gtest.h>

#include <array>

#include "core/errors.h"
#include "policies/monitors/locality.h"
#include "policies/monitors/mpki.h"
#include "policies/monitors/parallelism.h"
#include "policies/monitors/pending.h"
#include "policies/monitors/service.h"
#include "tests/cc/policies/rig.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

using testing::dram_line;
using testing::kCycle;
using testing::nvdimm_line;

TEST(Bins, EndWithTheirUpperBound) {
  EXPECT_EQ(bin_of(0, kDepthBins), 0);
  EXPECT_EQ(bin_of(4, kDepthBins), 0);
  EXPECT_EQ(bin_of(5, kDepthBins), 1);
  EXPECT_EQ(bin_of(64, kDepthBins), 4);
  EXPECT_EQ(bin_of(128, kDepthBins), 5);
  EXPECT_EQ(bin_of(16 * kWhole, kStrideBins), 1);
  EXPECT_EQ(bin_of(16 * kWhole + 1, kStrideBins), 2);
  EXPECT_EQ(bin_of(kWhole / 2, kReuseBins), 0);
  EXPECT_EQ(bin_of(kWhole / 2 + 1, kReuseBins), 1);
  EXPECT_EQ(bin_of(kWhole, kRandomnessBins), 3);
}

// Spec 2.5: 21, 42, 64, 85, 106, 128.
TEST(Bins, DivideUtilisationEqually) {
  const std::array<std::int64_t, 6> expected{21, 42, 64, 85, 106, 128};
  EXPECT_EQ(equal_bins<6>(128), expected);
}

// The lists of a damaged checkpoint may lack a request that the channel holds, or have an extra
// one.
TEST(PendingRequests, ASlotIsInOneListAtMostAndLeavesOnlyThat) {
  PendingRequests pending;
  pending.connect(4, 2);
  pending.add(nvdimm_line(0, false, 3), 1);
  EXPECT_THROW(pending.add(nvdimm_line(0, false, 3), 0), Fault);
  EXPECT_THROW(pending.remove(2), Fault);
  EXPECT_EQ(pending.oldest(1), 3u);
  pending.remove(3);
  EXPECT_THROW(pending.remove(3), Fault);
  EXPECT_EQ(pending.size(), 0u);
}

TEST(DramPattern, KnowsNothingBeforeAWindowIsOver) {
  DramPattern pattern({4, kNever});
  for (std::int64_t line = 0; line < 3; ++line) {
    pattern.add(dram_line(line), Tick(0));
    EXPECT_FALSE(pattern.known());
  }
  pattern.add(dram_line(3), Tick(0));
  EXPECT_TRUE(pattern.known());
}

// Lines 0, 2, 1, 9: distances 2, 1, 8; all are in the first row, so three requests return to it.
TEST(DramPattern, MeanDistanceAndRowsSeenLately) {
  DramPattern pattern({4, kNever});
  for (const std::int64_t line : {0, 2, 1, 9}) {
    pattern.add(dram_line(line), Tick(0));
  }
  EXPECT_EQ(pattern.stride(), 11 * kWhole / 3);
  EXPECT_EQ(pattern.reuse(), 3 * kWhole / 4);
}

TEST(DramPattern, DistancesAreOfOneSource) {
  DramPattern pattern({4, kNever});
  pattern.add(dram_line(0, 0), Tick(0));
  pattern.add(dram_line(1000, 7), Tick(0));
  pattern.add(dram_line(1, 0), Tick(0));
  pattern.add(dram_line(1003, 7), Tick(0));
  EXPECT_EQ(pattern.stride(), 2 * kWhole);
}

TEST(DramPattern, DistancesAreCappedAt4096Lines) {
  DramPattern pattern({2, kNever});
  pattern.add(dram_line(1'000'000), Tick(0));
  pattern.add(dram_line(0), Tick(0));
  EXPECT_EQ(pattern.stride(), 4096 * kWhole);
}

// 32 rows are remembered; the 33rd replaces the least recently used one.
TEST(DramPattern, RemembersTheLast32DistinctRows) {
  DramPattern pattern({34, kNever});
  for (std::int64_t row = 0; row < 32; ++row) {
    pattern.add(dram_line(row * 128), Tick(0));
  }
  pattern.add(dram_line(0), Tick(0));         // present: row 1 is the oldest now
  pattern.add(dram_line(32 * 128), Tick(0));  // new: replaces row 1
  EXPECT_EQ(pattern.reuse(), kWhole / 34);
  DramPattern after = pattern;
  for (int i = 0; i < 34; ++i) {
    after.add(dram_line(0), Tick(0));
  }
  EXPECT_EQ(after.reuse(), (kWhole / 34 + kWhole) / 2);
  for (int i = 0; i < 34; ++i) {
    pattern.add(dram_line(i == 0 ? 128 : 0), Tick(0));
  }
  EXPECT_EQ(pattern.reuse(), (kWhole / 34 + 33 * kWhole / 34) / 2);
}

TEST(DramPattern, HalfOfTheAverageIsTheLastWindow) {
  DramPattern pattern({2, kNever});
  pattern.add(dram_line(0), Tick(0));
  pattern.add(dram_line(4), Tick(0));  // 4
  pattern.add(dram_line(4), Tick(0));
  pattern.add(dram_line(12), Tick(0));  // (0 + 8) / 2
  EXPECT_EQ(pattern.stride(), 4 * kWhole);
  pattern.add(dram_line(12), Tick(0));
  pattern.add(dram_line(12), Tick(0));
  EXPECT_EQ(pattern.stride(), 2 * kWhole);
}

// A window's time counts from its first request; a later request begins the next window.
TEST(DramPattern, TimeEndsAWindowToo) {
  DramPattern pattern({1024, 100 * kCycle});
  pattern.add(dram_line(0), 1000 * kCycle);
  pattern.add(dram_line(6), 1099 * kCycle);
  EXPECT_FALSE(pattern.known());
  pattern.add(dram_line(7), 1100 * kCycle);
  ASSERT_TRUE(pattern.known());
  EXPECT_EQ(pattern.stride(), 6 * kWhole);
  pattern.add(dram_line(8), 1199 * kCycle);
  EXPECT_EQ(pattern.stride(), 6 * kWhole);
  pattern.add(dram_line(8), 1200 * kCycle);
  EXPECT_EQ(pattern.stride(), (6 + 1) * kWhole / 2);
}

TEST(PageStreams, OneStreamAndEightStreams) {
  using Touch = PageStreams::Touch;
  PageStreams streams;
  EXPECT_EQ(streams.add(0), Touch::random);
  EXPECT_EQ(streams.add(0), Touch::same_page);
  EXPECT_EQ(streams.add(1), Touch::sequential);
  for (std::int64_t page = 100; page < 800; page += 100) {
    EXPECT_EQ(streams.add(page), Touch::random);
  }
  EXPECT_EQ(streams.add(2), Touch::sequential) << "the eighth latest stream";
  EXPECT_EQ(streams.add(800), Touch::random) << "in place of 100";
  EXPECT_EQ(streams.add(201), Touch::sequential);
  EXPECT_EQ(streams.add(101), Touch::random);
}

// The 64 lines of a page count as one touch. Three touches are to consecutive pages, the last is
// elsewhere.
TEST(NvdimmPattern, RandomnessIsOfPages) {
  NvdimmPattern pattern({4 * 64, kNever});
  for (const std::int64_t page : {10, 11, 12, 99}) {
    for (int line = 0; line < 64; ++line) {
      pattern.add(nvdimm_line(page, false), Tick(0));
    }
  }
  ASSERT_TRUE(pattern.known());
  EXPECT_EQ(pattern.read_randomness(), kWhole / 2) << "the first touch and the last";
  EXPECT_EQ(pattern.write_ratio(), 0);
  EXPECT_EQ(pattern.write_randomness(), 0) << "there were none";
}

TEST(NvdimmPattern, OperationsHaveSeparateStreams) {
  NvdimmPattern pattern({4, kNever});
  pattern.add(nvdimm_line(1, false), Tick(0));
  pattern.add(nvdimm_line(2, true), Tick(0));
  pattern.add(nvdimm_line(2, false), Tick(0));
  pattern.add(nvdimm_line(5, true), Tick(0));
  EXPECT_EQ(pattern.read_randomness(), kWhole / 2);
  EXPECT_EQ(pattern.write_randomness(), kWhole);
  EXPECT_EQ(pattern.write_ratio(), kWhole / 2);
}

TEST(NvdimmPattern, WithoutTouchesOfAnOpItsRandomnessStays) {
  NvdimmPattern pattern({2, kNever});
  pattern.add(nvdimm_line(1, true), Tick(0));
  pattern.add(nvdimm_line(2, true), Tick(0));
  EXPECT_EQ(pattern.write_randomness(), kWhole / 2);
  for (int i = 0; i < 6; ++i) {
    pattern.add(nvdimm_line(50 + i, false), Tick(0));
  }
  EXPECT_EQ(pattern.write_randomness(), kWhole / 2);
  EXPECT_EQ(pattern.write_ratio(), kWhole / 8);
}

TEST(Monitors, StateIsSavedAndLoaded) {
  DramPattern dram({3, kNever});
  NvdimmPattern nvdimm({3, kNever});
  const auto feed = [](DramPattern& d, NvdimmPattern& n, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      d.add(dram_line(i * i, static_cast<std::uint16_t>(i % 3)), Tick(i));
      n.add(nvdimm_line(i * i / 2, i % 3 == 0), Tick(i));
    }
  };
  feed(dram, nvdimm, 0, 50);
  Archive saved;
  saved(dram, nvdimm);
  DramPattern dram_again({3, kNever});
  NvdimmPattern nvdimm_again({3, kNever});
  Archive loaded(saved.bytes());
  loaded(dram_again, nvdimm_again);
  feed(dram, nvdimm, 50, 100);
  feed(dram_again, nvdimm_again, 50, 100);
  Archive one;
  one(dram, nvdimm);
  Archive other;
  other(dram_again, nvdimm_again);
  EXPECT_EQ(one.bytes(), other.bytes());
}

// Windows of 4; one is complete and another begun. Known values stay, and the next window ends as
// without the save.
TEST(NvdimmPattern, StateIsSavedAndLoaded) {
  const auto add = [](NvdimmPattern& pattern, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      pattern.add(nvdimm_line(i * i, i % 3 == 0), Tick(0));
    }
  };
  const auto shown = [](const NvdimmPattern& pattern) {
    return std::array<std::int64_t, 4>{pattern.known() ? 1 : 0, pattern.write_ratio(),
                                       pattern.write_randomness(), pattern.read_randomness()};
  };
  NvdimmPattern saved({4, kNever});
  add(saved, 0, 6);
  Archive archive;
  saved.serialize(archive);
  NvdimmPattern loaded({4, kNever});
  Archive bytes(archive.bytes());
  loaded.serialize(bytes);
  EXPECT_TRUE(bytes.at_end());
  EXPECT_NE(shown(loaded), shown(NvdimmPattern({4, kNever})));
  EXPECT_EQ(shown(loaded), shown(saved));
  add(saved, 6, 9);
  add(loaded, 6, 9);
  EXPECT_EQ(shown(loaded), shown(saved));
}

struct NoProgress final : SourceProgress {
  std::int64_t instructions(std::uint16_t core) const override { return retired.at(core); }
  std::array<std::int64_t, 2> retired{};
};

TEST(Mpki, DescribesTheLastWholeQuantumAndAddsUpOverChannels) {
  EXPECT_EQ(Mpki::Rate().per_million(), 0);
  NoProgress progress;
  Mpki mpki;
  mpki.connect(progress);
  mpki.arrive(0, 0);
  mpki.arrive(0, 0);
  mpki.arrive(2, 1);  // source 1 has no requests; core 1 retires nothing
  progress.retired[0] = 1'000;
  EXPECT_EQ(mpki.per_million(0), 0) << "no quantum is over";
  mpki.close();
  EXPECT_EQ(mpki.per_million(0), 2'000);
  EXPECT_EQ(mpki.per_million(1), 0);
  EXPECT_EQ(mpki.per_million(2), Mpki::kUnbounded);
  EXPECT_EQ(mpki.per_million(3), 0) << "it was never seen";
  Mpki::Rate sum = mpki.rate(3);
  sum += mpki.rate(0);
  EXPECT_EQ(sum.per_million(), 2'000);
  sum += mpki.rate(0);
  EXPECT_EQ(sum.per_million(), 4'000) << "twice the requests, over the same instructions";
  mpki.arrive(0, 0);
  progress.retired[0] = 3'000;
  mpki.close();
  EXPECT_EQ(mpki.per_million(0), 500);
}

// Instructions retired before a source's first request belong to no quantum.
TEST(Mpki, CountsACoreFromItsFirstRequestOn) {
  NoProgress progress;
  progress.retired = {5'000, 0};
  Mpki mpki;
  mpki.connect(progress);
  mpki.arrive(0, 0);
  progress.retired = {6'000, 70'000};
  mpki.close();
  EXPECT_EQ(mpki.rate(0).instructions, 1'000);
  mpki.arrive(0, 1);
  progress.retired = {7'000, 72'000};
  mpki.close();
  EXPECT_EQ(mpki.rate(0).instructions, 1'000 + 2'000);
}

// Counts that cannot be multiplied by a million, in the current quantum or the last one.
ChannelShape of_banks(int banks) {
  ChannelShape shape{};
  shape.ranks = 1;
  shape.banks_per_rank = banks;
  return shape;
}

// Returns whether a monitor of `banks` banks accepts the saved state of one with eight.
template <class Monitor>
bool takes(Monitor& saved, int banks) {
  Archive archive;
  saved.serialize(archive);
  Monitor loaded;
  loaded.connect(of_banks(banks));
  return testing::takes_all_of(archive.bytes(), loaded);
}

// At the time of the first request no sum has accumulated yet.
TEST(Parallelism, AStateOfAsManyBanksIsTakenFromItsFirstMomentOn) {
  Parallelism saved;
  saved.connect(of_banks(8));
  saved.arrive(0, 3, Tick(0));
  EXPECT_TRUE(takes(saved, 8));
  EXPECT_FALSE(takes(saved, 4));
  EXPECT_FALSE(takes(saved, 16));
}

TEST(Locality, ASourceWithoutRequestsHasNoShareOfHits) {
  EXPECT_EQ(Locality::Count().share(), 0);
  EXPECT_EQ((Locality::Count{1, 3}.share()), 333);
}

TEST(Locality, AStateOfAsManyBanksIsTaken) {
  Locality saved;
  saved.connect(of_banks(8));
  saved.issue(1, 3, 5);
  EXPECT_TRUE(takes(saved, 8));
  EXPECT_FALSE(takes(saved, 4));
  EXPECT_FALSE(takes(saved, 16));
}

}  // namespace
}  // namespace hmsim
