// SPDX-License-Identifier: BSD-3-Clause
// Do the parts of a workload clone count and draw as specified? Complete clones: tests/cli.
#include "clones/clone.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "core/errors.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

TEST(LastVisits, MatchesASet) {
  constexpr std::uint64_t kSize = 16;
  LastVisits marks(kSize);
  std::set<std::uint64_t> set;
  Random random(3);
  for (std::uint64_t now = 1; now < 400; ++now) {
    if (now > kSize && set.erase(now - kSize) > 0) {
      marks.clear(now - kSize);
    }
    if (random.below(3) > 0) {
      set.insert(now);
      marks.set(now);
    }
    const std::uint64_t oldest = now < kSize ? 1 : now - kSize + 1;
    const std::uint64_t low = oldest + random.below(now - oldest + 1);
    const std::uint64_t high = low + random.below(now - low + 1);
    const std::vector<std::uint64_t> within(set.lower_bound(low), set.upper_bound(high));
    ASSERT_EQ(marks.count(low, high), within.size()) << now;
    for (std::size_t i = 0; i < within.size(); ++i) {
      ASSERT_EQ(marks.select(low, i), within[i]) << now;
    }
  }
}

TEST(BinDraw, KeepsSharesBoundsAndMeans) {
  const std::vector<CloneBin> bins{{0.25, 0, 0, 0}, {0.5, 8, 15, 9.5}, {0.25, 64, 127, 120.25}};
  BinDraw draw(bins);
  EXPECT_DOUBLE_EQ(draw.mean(), 0.5 * 9.5 + 0.25 * 120.25);
  Random random(1);
  std::map<std::int64_t, std::pair<double, double>> found;  // by bin: cases, sum
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t number = draw.draw(random);
    auto& [cases, sum] = found[number == 0 ? 0 : number < 64 ? 8 : 64];
    ++cases;
    sum += static_cast<double>(number);
    ASSERT_TRUE(number == 0 || (number >= 8 && number <= 15) || (number >= 64 && number <= 127));
  }
  for (const CloneBin& bin : bins) {
    const auto& [cases, sum] = found[bin.low];
    EXPECT_NEAR(cases / kDraws, bin.share, 0.01);
    EXPECT_NEAR(sum / cases, bin.mean, 0.02 * (bin.mean + 1));
  }
  EXPECT_DOUBLE_EQ(draw.mean_from(8), draw.mean());
  EXPECT_DOUBLE_EQ(draw.mean_from(9), 0.25 * 120.25);
  EXPECT_EQ(BinDraw().draw(random), 0);
}

// Each bin keeps its share of the draws even though a limit excludes the second bin from every
// third draw: the other draws compensate.
TEST(BinDraw, KeepsSharesWhereNumbersAreLimited) {
  BinDraw draw({{0.5, 1, 1, 1}, {0.5, 4, 5, 4.5}});
  Random random(1);
  int ones = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t most = i % 3 == 0 ? 3 : 64;
    const std::int64_t number = draw.draw_up_to(most, random);
    ASSERT_TRUE(number == 1 || (number >= 4 && number <= 5 && most == 64)) << number;
    ones += number == 1 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(ones) / kDraws, 0.5, 0.01);
  EXPECT_EQ(BinDraw({{1, 4, 5, 4.5}}).draw_up_to(2, random), 2);
}

CloneProfile scan(std::uint64_t accesses) {
  CloneStream stream;
  stream.nvdimm = true;
  const CloneVisits page{{1, 64, 64, 64}, 1, 1, 1};
  stream.visits = {{{page}, {page}, {page}}};
  for (auto& row : stream.follow) {
    row.fill(1);
  }
  stream.reuse = {{1, 0, 0, 0}};
  stream.paces = {{{{1, 8, 15, 10}}, {{1, 64, 127, 100}}, {{{0.0}, {0.0}, {1.0}}}}};
  stream.pace = {0, 0, 0, 0};
  stream.phases = {accesses, 0, accesses, 0};
  stream.pages = accesses;
  CloneProfile profile;
  profile.instructions = 100'000;
  profile.streams = {stream};
  return profile;
}

TEST(Clone, AScanIsEveryLineOnceInItsPhases) {
  Clone clone(scan(640));
  const std::string bytes = clone.records(1 << 20);
  EXPECT_EQ(clone.records(10), "");
  std::uint64_t line = 0;
  std::uint64_t time = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t word = word_at(bytes, at);
    if ((word >> 40 & 3) == 3) {
      time += word & ((std::uint64_t{1} << 40) - 1);
      continue;
    }
    time += word >> 45;
    ASSERT_EQ(word & ((std::uint64_t{1} << 40) - 1), (std::uint64_t{1} << 39) | line);
    const std::uint64_t phase = line < 640 ? 0 : 2;
    ASSERT_GE(time, 25'000 * phase) << line;
    ASSERT_LT(time, 25'000 * (phase + 1) + 1'000) << line;  // lateness is small
    ++line;
  }
  EXPECT_EQ(line, 1280u);
  EXPECT_EQ(time, 100'000u);
}

TEST(Clone, PiecesDoNotMatter) {
  Clone whole(scan(640));
  Clone pieces(scan(640));
  std::string bytes;
  for (std::string piece = pieces.records(7); !piece.empty(); piece = pieces.records(7)) {
    bytes += piece;
  }
  EXPECT_EQ(bytes, whole.records(1 << 20));
}

TEST(Clone, RejectsAnEmptyStream) {
  CloneProfile profile = scan(10);
  profile.streams[0].reuse.clear();
  EXPECT_THROW(Clone{profile}, InputError);
  profile = scan(10);
  profile.streams[0].pace[1] = 1;
  EXPECT_THROW(Clone{profile}, InputError);
}

// The runs of lines of each visit, and their lengths.
TEST(CloneLines, VisitsHaveTheGivenPieces) {
  CloneStream stream;
  stream.visits[0] = {{{1, 40, 40, 40}, 0, 0.5, 0.25}};
  stream.paces = {{{}, {}, {{{1.0}, {}, {}}}}};
  stream.skips = {{0.5, -1, -1, -1}, {0.5, 3, 5, 4}};
  stream.pieces = {{33, {{1, 16, 17, 16.5}}, {{1, 1, 2, 1.5}}}};
  CloneLines lines(stream);
  Random random(1);
  constexpr int kVisits = 4'000;
  int first = 0;
  int last = 0;
  for (int visit = 0; visit < kVisits; ++visit) {
    lines.begin(0, 0, false, random);
    std::vector<int> pieces{1};
    first += lines.line() == 0 ? 1 : 0;
    while (lines.left() > 0) {
      const std::uint64_t before = lines.line();
      lines.step(random);
      ASSERT_LT(lines.line(), kClonePageLines);
      if (lines.line() == before + 1) {
        ++pieces.back();
      } else {
        pieces.push_back(1);
      }
    }
    last += lines.line() == kClonePageLines - 1 ? 1 : 0;
    ASSERT_GE(pieces.front(), 16);
    ASSERT_GE(pieces.back(), 16);
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
      ASSERT_LE(pieces[i], 2);
    }
  }
  EXPECT_NEAR(static_cast<double>(first) / kVisits, 0.5, 0.05);
  EXPECT_GE(static_cast<double>(last) / kVisits, 0.25);
}

// Twice as many accesses in a phase of the same pace: all are generated, with shorter long gaps.
TEST(CloneClock, PhasesHoldTheGivenAccesses) {
  CloneStream stream;
  const CloneVisits one{{1, 1, 1, 1}, 1, 0, 0};
  stream.visits[0] = {one};
  stream.paces = {{{}, {{0.9, 8, 15, 10}, {0.1, 512, 1023, 910}}, {{{1.0}, {}, {}}}}};
  stream.phases = {1000, 1000, 1500, 500, 0, 100};
  stream.pace.assign(6, 0);
  std::vector<double> ends;
  for (int phase = 1; phase <= 6; ++phase) {
    ends.push_back(100'000.0 * phase);
  }
  CloneClock clock(stream, ends, 1);
  Random random(1);
  std::vector<int> found(6, 0);
  double before = 0;
  int shorts = 0;
  while (clock.step(false, random)) {
    ++found[std::min<std::size_t>(5, static_cast<std::size_t>(clock.time() / 100'000))];
    shorts += clock.time() - before < 16 ? 1 : 0;
    before = clock.time();
  }
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0), 4100);
  for (std::size_t phase = 0; phase < 6; ++phase) {
    EXPECT_NEAR(found[phase], static_cast<double>(stream.phases[phase]), 400) << phase;
  }
  EXPECT_EQ(found[4], 0);
  EXPECT_NEAR(shorts / 4100.0, 0.9, 0.03);
}

}  // namespace
}  // namespace hmsim::testing
