// SPDX-License-Identifier: BSD-3-Clause
// Do the parts of a statistical twin count and draw as they say? Whole twins: tests/cli.
#include "frontend/twin.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/errors.h"

namespace hmsim::testing {
namespace {

TEST(LastVisits, CountsAndSelectsAsASetDoes) {
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
  const std::vector<TwinBin> bins{{0.25, 0, 0, 0}, {0.5, 8, 15, 9.5}, {0.25, 64, 127, 120.25}};
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
  for (const TwinBin& bin : bins) {
    const auto& [cases, sum] = found[bin.low];
    EXPECT_NEAR(cases / kDraws, bin.share, 0.01);
    EXPECT_NEAR(sum / cases, bin.mean, 0.02 * (bin.mean + 1));
  }
  draw.keep(2);
  EXPECT_DOUBLE_EQ(draw.mean(), 0.5 * 9.5 / 0.75);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_LE(draw.draw(random), 15);
  }
}

TwinProfile scan(std::uint64_t accesses) {
  TwinStream stream;
  stream.nvdimm = true;
  const TwinVisits page{{1, 64, 64, 64}, 1, 0, 1, 1};
  stream.jumped = stream.followed = stream.swept = {page};
  for (auto& row : stream.follow) {
    row = {1, 1};
  }
  stream.kinds = {0, 0, 1};
  stream.visit = 64;
  stream.reuse = {{1, 0, 0, 0}};
  stream.inside = {{1, 8, 15, 10}};
  stream.between = {{1, 64, 127, 100}};
  stream.phases = {accesses, 0, accesses, 0};
  stream.pages = accesses;
  TwinProfile profile;
  profile.instructions = 100'000;
  profile.streams = {stream};
  return profile;
}

TEST(Twin, AScanIsEveryLineOnceInItsPhases) {
  Twin twin(scan(640));
  const std::string bytes = twin.records(1 << 20);
  EXPECT_EQ(twin.records(10), "");
  std::uint64_t line = 0;
  std::uint64_t time = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    if ((word >> 40 & 3) == 3) {
      time += word & ((std::uint64_t{1} << 40) - 1);
      continue;
    }
    time += word >> 45;
    ASSERT_EQ(word & ((std::uint64_t{1} << 40) - 1), (std::uint64_t{1} << 39) | line);
    const std::uint64_t phase = time / 25'000;
    ASSERT_EQ(phase, line < 640 ? 0u : 2u) << line;
    ++line;
  }
  EXPECT_EQ(line, 1280u);
  EXPECT_EQ(time, 100'000u);
}

TEST(Twin, PiecesDoNotMatter) {
  Twin whole(scan(640));
  Twin pieces(scan(640));
  std::string bytes;
  for (std::string piece = pieces.records(7); !piece.empty(); piece = pieces.records(7)) {
    bytes += piece;
  }
  EXPECT_EQ(bytes, whole.records(1 << 20));
}

TEST(Twin, RefusesAnEmptyStream) {
  TwinProfile profile = scan(10);
  profile.streams[0].reuse.clear();
  EXPECT_THROW(Twin{profile}, InputError);
}

}  // namespace
}  // namespace hmsim::testing
