// SPDX-License-Identifier: BSD-3-Clause
// Do the caches hold the same lines as a model with lists of lines?
#include "agents/cache/cache_hierarchy.h"

#include <gtest/gtest.h>

#include "core/archive.h"
#include "core/random.h"
#include "tests/cc/agents/cache_model.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

CacheParameters small(std::array<std::int64_t, 3> sets, std::array<std::int64_t, 3> ways) {
  CacheParameters parameters;
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    parameters.levels[i].size = kLineBytes * (sets[i] * ways[i]);
    parameters.levels[i].ways = ways[i];
  }
  EXPECT_TRUE(parameters.check().empty());
  return parameters;
}

// A core that never waits.
class Idle final : public LastLevelCache::User {
  void line_arrived(std::uint32_t /*fill*/, Tick /*now*/) override {}
  void start_waiting(Tick /*now*/) override {}
};

// The caches of one core.
struct OwnCaches {
  explicit OwnCaches(const CacheParameters& parameters)
      : l3(parameters.levels[2]), caches(parameters, l3, l3.join(core, 0)) {}
  std::vector<std::uint64_t> write_backs() const {
    std::vector<std::uint64_t> lines;
    for (const LastLevelCache::WriteBack& left : caches.write_backs()) {
      lines.push_back(left.line.number);
    }
    return lines;
  }
  void serialize(Archive& archive) {
    l3.serialize(archive);
    caches.serialize(archive);
  }

  Idle core;
  LastLevelCache l3;
  CacheHierarchy caches;
};

const std::vector<CacheParameters>& shapes() {
  static const std::vector<CacheParameters> kAll{
      small({1, 1, 1}, {1, 1, 1}), small({2, 4, 8}, {2, 2, 2}), small({4, 2, 16}, {1, 4, 1}),
      small({8, 8, 8}, {2, 4, 8}), small({4, 4, 1}, {4, 1, 2}),
  };
  return kAll;
}

// Returns another instruction with the prefetcher's table entry of `ip`.
std::uint64_t sharer_of_entry(std::uint64_t ip) {
  const auto entry = [](std::uint64_t of) { return mix64(of) % StridePrefetcher::kEntries; };
  std::uint64_t other = ip + 1;
  while (entry(other) != entry(ip)) {
    ++other;
  }
  return other;
}

TEST(CacheHierarchy, HitsMissesAndWriteBacksMatchAModelOfLists) {
  for (std::size_t shape = 0; shape < shapes().size(); ++shape) {
    for (const bool ahead : {false, true}) {
      SCOPED_TRACE("shape " + std::to_string(shape) + (ahead ? ", prefetches" : ""));
      CacheParameters parameters = shapes()[shape];
      parameters.prefetcher.kind = ahead ? PrefetcherKind::stride : PrefetcherKind::none;
      OwnCaches own(parameters);
      CacheHierarchy& caches = own.caches;
      CacheModel model(parameters);
      Random random(shape);
      std::uint64_t streams[3] = {0, 40, 90};
      const std::uint64_t ips[3] = {0, 1, sharer_of_entry(0)};
      for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t stream = random.below(3);
        const std::uint64_t ip = ips[stream];
        streams[stream] += stream == 0 ? 1 : stream + 2;
        const std::uint64_t line = random.below(2) == 0 ? random.below(300) : streams[stream] % 300;
        const bool store = random.below(3) == 0;
        const int level = caches.access(line, store, ip);
        const CacheModel::Outcome wanted = model.access(line, store, ip);
        ASSERT_EQ(level, wanted.level) << "access " << i;
        ASSERT_EQ(own.write_backs(), wanted.write_backs) << "access " << i;
        ASSERT_EQ(caches.prefetches().size(), wanted.prefetches.size()) << "access " << i;
        for (std::size_t j = 0; j < wanted.prefetches.size(); ++j) {
          ASSERT_EQ(caches.prefetches()[j].line, wanted.prefetches[j].first);
          ASSERT_EQ(caches.prefetches()[j].level, wanted.prefetches[j].second);
        }
      }
      EXPECT_EQ(own.l3.counters(0).hits, model.hits[2]);
      EXPECT_EQ(own.l3.counters(0).misses, model.misses[2]);
      EXPECT_EQ(own.l3.counters(0).write_backs, model.of_l3().left_dirty);
      for (std::size_t level = 0; level < 2; ++level) {
        EXPECT_EQ(caches.counters(level).hits, model.hits[level]);
        EXPECT_EQ(caches.counters(level).misses, model.misses[level]);
        EXPECT_EQ(caches.counters(level).write_backs, model.left_dirty[level]);
      }
      EXPECT_EQ(caches.prefetches_issued(), model.issued);
      EXPECT_EQ(caches.prefetches_useful(), model.useful);
      EXPECT_EQ(ahead, model.issued > 0);
    }
  }
}

TEST(CacheHierarchy, AStreamThatFitsMissesOnce) {
  OwnCaches own{CacheParameters()};
  CacheHierarchy& caches = own.caches;
  const std::uint64_t lines = 512;  // 32 KiB
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint64_t line = 0; line < lines; ++line) {
      EXPECT_EQ(caches.access(line, false, 0), pass == 0 ? CacheHierarchy::kMemory : 1);
    }
  }
  EXPECT_EQ(caches.counters(0).misses, lines);
  EXPECT_EQ(caches.counters(0).hits, 2 * lines);
}

TEST(CacheHierarchy, RestoresItsSavedState) {
  CacheParameters parameters = shapes()[1];
  parameters.prefetcher.kind = PrefetcherKind::stride;
  OwnCaches one(parameters);
  OwnCaches other(parameters);
  Random random(5);
  for (int i = 0; i < 2'000; ++i) {
    one.caches.access(random.below(200), random.below(2) == 0, random.below(9));
  }
  copy_state(one, other);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t line = random.below(200);
    const bool store = random.below(2) == 0;
    ASSERT_EQ(one.caches.access(line, store, line % 9), other.caches.access(line, store, line % 9));
    ASSERT_EQ(one.write_backs(), other.write_backs());
  }
}

TEST(CacheParameters, SetsAreAPowerOfTwo) {
  CacheParameters parameters;
  EXPECT_TRUE(parameters.check().empty());
  parameters.levels[1].ways = 12;
  EXPECT_EQ(parameters.check().size(), 1u);
  EXPECT_EQ(parameters.check()[0].name, "l2.size");
  parameters.levels[2].size = Bytes(64);
  EXPECT_EQ(parameters.check().size(), 2u);
}

std::vector<std::uint64_t> told(StridePrefetcher& prefetcher, std::uint64_t ip,
                                std::uint64_t line) {
  std::vector<std::uint64_t> lines;
  prefetcher.access(ip, line, lines);
  return lines;
}

TEST(StridePrefetcher, FollowsAStrideSeenTwiceWithinThePage) {
  PrefetcherParameters parameters;
  parameters.kind = PrefetcherKind::stride;
  parameters.degree = 2;
  parameters.distance = 3;
  StridePrefetcher prefetcher(parameters);
  using Lines = std::vector<std::uint64_t>;
  EXPECT_EQ(told(prefetcher, 7, 64), Lines());
  EXPECT_EQ(told(prefetcher, 7, 66), Lines());          // a stride of 2
  EXPECT_EQ(told(prefetcher, 9, 500), Lines());         // another instruction
  EXPECT_EQ(told(prefetcher, 7, 68), (Lines{74, 76}));  // again
  EXPECT_EQ(told(prefetcher, 7, 68), Lines());          // a repeated line triggers nothing
  EXPECT_EQ(told(prefetcher, 7, 70), (Lines{76, 78}));
  EXPECT_EQ(told(prefetcher, 7, 80), Lines());       // breaks the stride
  EXPECT_EQ(told(prefetcher, 7, 90), (Lines{120}));  // 130 is in the next page
  EXPECT_EQ(told(prefetcher, 7, 75), Lines());
  EXPECT_EQ(told(prefetcher, 7, 60), (Lines{15, 0}));  // downwards, to the page's start
}

}  // namespace
}  // namespace hmsim::testing
