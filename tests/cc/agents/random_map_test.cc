// SPDX-License-Identifier: BSD-3-Clause
// Does a random map visit each block once in a pass, with little memory, and do limits end passes?
#include "agents/block/random_map.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "agents/block/io_pattern.h"
#include "core/archive.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::uint64_t kBlock = 8;  // sectors of 4 KiB

struct Extent {
  std::uint64_t sector;
  std::uint64_t sectors;
  friend bool operator==(const Extent& a, const Extent& b) {
    return a.sector == b.sector && a.sectors == b.sectors;
  }
};

// Returns the requests of a generator, which must end.
std::vector<Extent> all_of(const IoPattern& pattern, std::int64_t threads, std::uint64_t seed = 1) {
  IoGenerator generator(pattern, threads, seed, 0);
  std::vector<Extent> extents;
  BlockRequest request;
  while (generator.next(request) && extents.size() < 1'000'000) {
    extents.push_back({request.sector, request.sectors});
  }
  EXPECT_FALSE(generator.next(request));
  return extents;
}

std::vector<Extent> part(const std::vector<Extent>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// Returns how often extents take each of `blocks` blocks of 4 KiB, in whole or in part.
std::vector<int> visits_of(const std::vector<Extent>& extents, std::uint64_t blocks) {
  std::vector<int> visits(blocks);
  for (const Extent& each : extents) {
    EXPECT_EQ(each.sector % kBlock, 0u);
    for (std::uint64_t i = 0; i < (each.sectors + kBlock - 1) / kBlock; ++i) {
      ++visits.at(each.sector / kBlock + i);
    }
  }
  return visits;
}

// Expects that extents of whole blocks cover [0, blocks), each exactly once.
void expect_cover(const std::vector<Extent>& extents, std::uint64_t blocks) {
  for (const Extent& each : extents) {
    ASSERT_EQ(each.sectors % kBlock, 0u);
  }
  EXPECT_EQ(visits_of(extents, blocks), std::vector<int>(blocks, 1));
}

IoPattern mapped(std::int64_t blocks, std::int64_t passes, MapOrder order = MapOrder::repeat) {
  IoPattern pattern;
  pattern.footprint = Bytes(blocks * 4 * kKib);
  pattern.random_map = order;
  pattern.passes = passes;
  return pattern;
}

TEST(RandomMap, EachPassVisitsEachBlockOnce) {
  for (const std::int64_t blocks : {1, 2, 63, 64, 65, 1'000, 16'384}) {
    for (const MapOrder order : {MapOrder::repeat, MapOrder::shuffle}) {
      const std::vector<Extent> all = all_of(mapped(blocks, 3, order), 1);
      const auto pass = static_cast<std::size_t>(blocks);
      ASSERT_EQ(all.size(), 3 * pass);
      for (std::size_t i = 0; i < 3; ++i) {
        expect_cover(part(all, i * pass, pass), pass);
      }
      if (blocks >= 63) {
        EXPECT_EQ(part(all, 0, pass) == part(all, pass, pass), order == MapOrder::repeat);
      }
    }
  }
}

TEST(RandomMap, RequestsOfSeveralSizesEndBeforeVisitedBlocks) {
  for (const std::int64_t blocks : {16, 64, 1'001}) {
    for (const MapOrder order : {MapOrder::repeat, MapOrder::shuffle}) {
      IoPattern pattern = mapped(blocks, 2, order);
      pattern.size = "4KiB/2, 16KiB/1, 64KiB/1";
      const std::vector<Extent> all = all_of(pattern, 1, 5);
      std::size_t end = 0;
      for (std::uint64_t moved = 0; moved < static_cast<std::uint64_t>(blocks) * kBlock; ++end) {
        moved += all.at(end).sectors;
      }
      expect_cover(part(all, 0, end), static_cast<std::uint64_t>(blocks));
      expect_cover(part(all, end, all.size() - end), static_cast<std::uint64_t>(blocks));
      if (order == MapOrder::repeat) {
        EXPECT_EQ(part(all, 0, end), part(all, end, all.size() - end));
      }
    }
  }
}

// A size of 10 KiB takes three blocks, as in fio's bsrange=4k-10k.
TEST(RandomMap, ASizeBetweenMultiplesTakesWholeBlocks) {
  IoPattern pattern = mapped(300, 1);
  pattern.size = "4KiB/2, 8KiB/2, 10KiB/1";
  EXPECT_EQ(visits_of(all_of(pattern, 1), 300), std::vector<int>(300, 1));
}

// By fio's last_block(): (101 - 4 + 1) / 1 places, or 101 / 16.
TEST(RandomMap, AlignedOffsetsNeedNoMap) {
  for (const auto& [align, places] :
       std::vector<std::pair<std::int64_t, std::size_t>>{{1, 98}, {16, 6}}) {
    IoPattern pattern;
    pattern.footprint = Bytes(101 * kKib);
    pattern.align = Bytes(align * kKib);
    pattern.bytes = Bytes(40'000 * kKib);
    std::set<std::uint64_t> seen;
    for (const Extent& each : all_of(pattern, 1)) {
      EXPECT_EQ(each.sector * 512 % static_cast<std::uint64_t>(align * kKib), 0u);
      EXPECT_LE(each.sector + each.sectors, 202u);
      seen.insert(each.sector);
    }
    EXPECT_EQ(seen.size(), places);
  }
}

TEST(RandomMap, EachThreadHasASeparateMap) {
  for (const IoRegions regions : {IoRegions::shared, IoRegions::per_thread}) {
    IoPattern pattern = mapped(300, 1);
    pattern.regions = regions;
    EXPECT_EQ(visits_of(all_of(pattern, 3), 300),
              std::vector<int>(300, regions == IoRegions::shared ? 3 : 1));
  }
}

// 2^43 blocks: neither a table nor a bitmap would fit.
TEST(RandomMap, OneSizeTakesNoMemory) {
  RandomMap map(std::uint64_t{1} << 43, true, true, Random(3));
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t block = map.next();
    EXPECT_LT(block, std::uint64_t{1} << 43);
    EXPECT_TRUE(seen.insert(block).second);
    map.visit(block, 1);
  }
}

TEST(RandomMap, ABitmapHasALimit) {
  const auto refused = [](const char* size, const char* map) {
    return error_from([&] {
      Bench bench{"io_pattern", {{"size", size}, {"random_map", map}, {"threads", "2"}}};
      bench.nvdimm = Bytes(std::int64_t{1} << 42);
      AgentUnderTest test(bench);
    });
  };
  EXPECT_TRUE(names(refused("4KiB, 8KiB", "repeat"),
                    {"agent.0.random_map: ", "2147483648", "1073741824", "one size"}));
  EXPECT_EQ(refused("4KiB", "repeat"), "");
  EXPECT_EQ(refused("4KiB, 8KiB", "none"), "");
}

TEST(Passes, AByteLimitEndsWithinAPass) {
  IoPattern pattern = mapped(100, 0);
  pattern.bytes = Bytes(150 * 4 * kKib + 1);
  const std::vector<Extent> all = all_of(pattern, 1);
  ASSERT_EQ(all.size(), 151u);
  expect_cover(part(all, 0, 100), 100);
  EXPECT_EQ(part(all, 100, 51), part(all, 0, 51));
  pattern.passes = 1;
  EXPECT_EQ(all_of(pattern, 1).size(), 100u);
}

TEST(Passes, AShortPassRepeatsItsPart) {
  IoPattern pattern = mapped(100, 3);
  pattern.pass = Bytes(40 * 4 * kKib);
  const std::vector<Extent> all = all_of(pattern, 1);
  ASSERT_EQ(all.size(), 120u);
  EXPECT_EQ(part(all, 0, 40), part(all, 80, 40));
  pattern.access = IoAccess::sequential;
  pattern.random_map = MapOrder::none;
  const std::vector<Extent> run = all_of(pattern, 1);
  ASSERT_EQ(run.size(), 120u);
  EXPECT_EQ(run[39], (Extent{39 * kBlock, kBlock}));
  EXPECT_EQ(run[40], (Extent{0, kBlock}));
}

TEST(Passes, ASequentialPassFillsItsRegion) {
  IoPattern pattern;
  pattern.access = IoAccess::sequential;
  pattern.size = "4KiB/1, 12KiB/1, 64KiB/1";
  pattern.footprint = Bytes(1'000 * 4 * kKib);
  pattern.passes = 2;
  EXPECT_EQ(visits_of(all_of(pattern, 1), 1'000), std::vector<int>(1'000, 2));
}

TEST(Passes, ReadsAndWritesMayHaveTheirOwnPositions) {
  IoPattern pattern;
  pattern.access = IoAccess::sequential;
  pattern.separate_writes = true;
  pattern.read_share = 0.5;
  pattern.footprint = Bytes(50 * 4 * kKib);
  pattern.passes = 3;
  IoGenerator generator(pattern, 1, 1, 0);
  BlockRequest request;
  for (int pass = 0; pass < 3; ++pass) {
    std::array<std::uint64_t, 2> next{};
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(generator.next(request));
      EXPECT_EQ(request.sector, next[request.write ? 1 : 0]);
      next[request.write ? 1 : 0] += kBlock;
    }
    EXPECT_TRUE(next[0] > 0 && next[1] > 0);
  }
  EXPECT_FALSE(generator.next(request));
}

TEST(Passes, FlushesFollowTheLastWrite) {
  IoPattern pattern = mapped(8, 1);
  pattern.read_share = 0;
  pattern.flush_every = 4;
  std::string kinds;
  for (const Extent& each : all_of(pattern, 1)) {
    kinds += each.sectors == 0 ? 'F' : 'W';
  }
  EXPECT_EQ(kinds, "WWWWFWWWWF");
}

TEST(Passes, LimitsRestartWithMeasuring) {
  IoGenerator generator(mapped(10, 1), 1, 1, 0);
  BlockRequest request;
  for (int i = 0; i < 7; ++i) {
    EXPECT_TRUE(generator.next(request));
  }
  EXPECT_DOUBLE_EQ(generator.fraction(), 0.7);
  generator.restart_limit(true);  // the seventh counts
  int left = 0;
  while (generator.next(request)) {
    ++left;
  }
  EXPECT_EQ(left, 3);  // the pass ends after ten blocks
  EXPECT_DOUBLE_EQ(generator.fraction(), 1);
}

TEST(Passes, ACheckpointContinuesThem) {
  for (const char* size : {"4KiB", "4KiB, 16KiB"}) {
    IoPattern pattern = mapped(200, 4, MapOrder::shuffle);
    pattern.size = size;
    IoGenerator first(pattern, 2, 9, 0);
    BlockRequest request;
    for (int i = 0; i < 250; ++i) {
      first.next(request);
    }
    Archive saved;
    first.serialize(saved);
    IoGenerator second(pattern, 2, 9, 0);
    Archive loaded(saved.bytes());
    second.serialize(loaded);
    BlockRequest other;
    while (first.next(request)) {
      ASSERT_TRUE(second.next(other));
      ASSERT_EQ((Extent{request.sector, request.sectors}), (Extent{other.sector, other.sectors}));
    }
    EXPECT_FALSE(second.next(other));
  }
}

TEST(Passes, AnAgentNeedsAnEnd) {
  const auto refused = [](Assignments keys) {
    return error_from([&] { make_agent_of("io_pattern", keys); });
  };
  EXPECT_TRUE(names(refused({{"requests", "0"}}), {"requests: ", "passes", "bytes", "duration"}));
  EXPECT_EQ(refused({{"requests", "0"}, {"duration", "1s"}}), "");
  EXPECT_EQ(refused({{"requests", "0"}, {"passes", "1"}}), "");
  EXPECT_TRUE(
      names(refused({{"random_map", "repeat"}, {"access", "zipf"}}), {"random_map: ", "access"}));
}

TEST(Passes, ARequestMayExceedAGibibyte) {
  IoPattern pattern;
  pattern.access = IoAccess::sequential;
  pattern.size = "1280MiB";
  pattern.footprint = Bytes(std::int64_t{3} << 30);
  pattern.passes = 1;
  EXPECT_TRUE(pattern.check(1).empty());
  const std::uint64_t sectors = std::uint64_t{1280} << 11;
  EXPECT_EQ(all_of(pattern, 1), (std::vector<Extent>{{0, sectors}, {sectors, sectors}}));
}

// Requests of 11 us, one at a time.
Assignments paced(const Assignments& more) {
  Assignments keys{{"threads", "1"}, {"footprint", "1GiB"}};
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

TEST(Duration, EndsAnAgentAtItsTime) {
  for (const char* arrivals : {"closed", "fixed"}) {
    for (const char* stage : {"none", "0"}) {
      Bench bench{"io_pattern", paced({{"requests", "0"},
                                       {"duration", "100us"},
                                       {"start", "7us"},
                                       {"arrivals", arrivals},
                                       {"arrival_rate", "80000"},
                                       {"stage", stage}})};
      bench.latency = fixed(8 * kMicrosecond);
      AgentUnderTest test(bench);
      ASSERT_TRUE(test.finish());
      EXPECT_EQ(test.kernel.now(), 107 * kMicrosecond);
      EXPECT_EQ(test.agent->measured_time(test.kernel.now()), 100 * kMicrosecond);
      // Closed: 9 x 11 us. Open: arrivals each 12.5 us, the last of which ends at 87.5 + 11 us.
      const std::int64_t done = arrivals == std::string("closed") ? 9 : 8;
      EXPECT_EQ(test.agent->progress(test.kernel.now()), done);
      const std::size_t sent = test.port.log.size();
      test.kernel.run_until(kMillisecond);
      EXPECT_LE(test.port.log.size(), sent + 64);  // a request whose software ran
      EXPECT_EQ(test.agent->progress(test.kernel.now()), done);
    }
  }
}

TEST(Duration, DoesNotDelayAnAgentThatFinishesEarlier) {
  Bench bench{"io_pattern", paced({{"requests", "2"}, {"duration", "100us"}})};
  bench.latency = fixed(8 * kMicrosecond);
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.kernel.now(), 22 * kMicrosecond);
  test.kernel.run_until(kMillisecond);  // it starts over until its time
  EXPECT_LE(test.port.log.back().time, 100 * kMicrosecond + 11 * kMicrosecond);
  EXPECT_GT(test.port.log.back().time, 80 * kMicrosecond);
}

TEST(Duration, CutsATraceByTime) {
  std::string trace;
  for (int i = 0; i < 10; ++i) {
    trace += std::to_string(20'000 * i) + " 0 " + std::to_string(8 * i) + " 8 1\n";
  }
  for (const auto& [replay, requests] :
       std::vector<std::pair<const char*, std::size_t>>{{"timed", 5}, {"closed", 9}}) {
    Bench bench{"block_trace",
                {{"path", "t"},
                 {"format", "mqsim"},
                 {"replay", replay},
                 {"threads", "1"},
                 {"duration", "99us"}},
                trace};
    bench.latency = fixed(8 * kMicrosecond);
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.kernel.now(), 99 * kMicrosecond);
    test.kernel.run_until(kMillisecond);
    EXPECT_EQ(test.port.log.size(), requests * 64) << replay;
  }
}

TEST(Duration, SurvivesACheckpoint) {
  Bench bench{"io_pattern", paced({{"requests", "0"}, {"duration", "100us"}, {"depth", "3"}})};
  bench.latency = fixed(8 * kMicrosecond);
  expect_exact_resume(bench, {2});
}

}  // namespace
}  // namespace hmsim::testing
