// SPDX-License-Identifier: BSD-3-Clause
// Does a page cache hold the pages given by its levels' sizes and order, without losing data?
#include "storage/page_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/table_device.h"
#include "tests/cc/storage/device_rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr std::uint64_t kPage = 4096;
constexpr Bytes kCapacity{1 << 20};  // 256 pages
constexpr Tick kDevice = 100 * kMicrosecond;

PageCacheParameters levels(std::int64_t first, std::int64_t second) {
  PageCacheParameters parameters;
  parameters.first = first * kPageBytes;
  parameters.second = second * kPageBytes;
  parameters.line = 10 * kNanosecond;
  parameters.slow_down = 5;
  return parameters;
}

std::unique_ptr<PageCache> make_cache(const PageCacheParameters& parameters,
                                      std::unique_ptr<StorageDevice> device = nullptr) {
  if (device == nullptr) {
    device = std::make_unique<TableDevice>(TableParameters(), kCapacity);
  }
  return std::make_unique<PageCache>(parameters, std::move(device),
                                     std::make_unique<FixedMover>(parameters.page_time()));
}

TEST(PageCache, APageTakesTheTimeOfItsLevel) {
  const PageCacheParameters parameters = levels(2, 4);
  const Tick move = 64 * 5 * 10 * kNanosecond;
  ASSERT_EQ(parameters.page_time(), move);
  auto cache = make_cache(parameters);
  DeviceRig rig(*cache);
  const Tick hit = parameters.hit;
  EXPECT_EQ(rig.read(0), kDevice + hit);
  EXPECT_EQ(rig.read(0, 512), hit);
  EXPECT_EQ(rig.write(kPage), hit) << "a whole page needs no reading";
  EXPECT_EQ(rig.read(2 * kPage), move + kDevice + hit) << "page 0 goes to the second level first";
  EXPECT_EQ(rig.read(0), kDevice + move + move + hit)
      << "page 1 is written, goes to the second level, page 0 comes";
  EXPECT_EQ(rig.read(kPage), move + move + hit) << "page 2 goes, page 1 comes, clean";
  EXPECT_EQ(rig.write(3 * kPage + 512, 512), move + kDevice + hit) << "a part of a page";
  EXPECT_EQ(cache->counts().device_writes, 1u);
  EXPECT_EQ(cache->counts().device_reads, 3u);
}

TEST(PageCache, PagesOfOneRequestAreFetchedTogether) {
  TableParameters table;
  table.channels = 8;
  auto cache = make_cache(levels(16, 0), std::make_unique<TableDevice>(table, kCapacity));
  DeviceRig rig(*cache);
  EXPECT_EQ(rig.read(512, 8 * kPage - 512), kDevice + levels(1, 0).hit);
  const std::uint32_t one = rig.send(Kind::read, 20 * kPage, kPage);
  const std::uint32_t two = rig.send(Kind::read, 20 * kPage, 512);
  rig.drain();
  EXPECT_EQ(rig.took(one), rig.took(two));
  EXPECT_EQ(cache->counts().merged, 1u);
  EXPECT_EQ(cache->counts().device_reads, 9u);
}

// The first sequential read of a page opens a window of 2 pages, which includes it; later ones have
// 4 and 8. Each is read when the stream enters the one before.
TEST(PageCache, SequentialReadsFindTheirPagesReadAhead) {
  PageCacheParameters parameters = levels(64, 0);
  parameters.read_ahead = 8;
  TableParameters table;
  table.channels = 16;
  auto cache = make_cache(parameters, std::make_unique<TableDevice>(table, kCapacity));
  DeviceRig rig(*cache);
  const PageCacheCounts& counts = cache->counts();
  const std::vector<std::uint64_t> ahead{0, 1, 5, 13, 13, 13, 13, 21};
  for (std::uint64_t page = 0; page < ahead.size(); ++page) {
    const Tick took = rig.read(page * kPage);
    EXPECT_EQ(took, page < 2 ? kDevice + parameters.hit : parameters.hit) << page;
    EXPECT_EQ(counts.ahead_reads, ahead[page]) << page;
  }
  EXPECT_EQ(counts.device_reads, 2u);
  EXPECT_EQ(counts.first_hits, 6u);
  EXPECT_EQ(counts.ahead_used, 6u);
  rig.read(100 * kPage);
  rig.read(102 * kPage);
  EXPECT_EQ(counts.ahead_reads, 21u) << "not sequential";
  rig.read(255 * kPage);
  rig.read(254 * kPage);
  rig.read(255 * kPage);
  EXPECT_EQ(counts.ahead_reads, 21u) << "the device ends there";
  EXPECT_EQ(counts.ahead_unused, 0u);
}

// The read of page 11 opens a window of page 12, which the second level has.
TEST(PageCache, ReadAheadFindsPagesOfTheSecondLevel) {
  PageCacheParameters parameters = levels(4, 8);
  parameters.read_ahead = 2;
  auto cache = make_cache(parameters);
  DeviceRig rig(*cache);
  for (const std::uint64_t page : {12, 100, 110, 120, 130, 140}) {
    rig.read(page * kPage);
  }
  EXPECT_EQ(cache->counts().demotions, 2u) << "pages 12 and 100";
  rig.read(10 * kPage);
  rig.read(11 * kPage);
  EXPECT_EQ(cache->counts().ahead_moves, 1u) << "page 12";
  EXPECT_EQ(cache->counts().ahead_reads, 0u);
  EXPECT_EQ(rig.read(12 * kPage), parameters.hit);
  EXPECT_EQ(cache->counts().ahead_used, 1u);
}

TEST(PageCache, AReserveTakesDemotionsAndWritesOffTheReadersPath) {
  PageCacheParameters parameters = levels(4, 8);
  parameters.reserve = 2 * kPageBytes;
  auto cache = make_cache(parameters);
  DeviceRig rig(*cache);
  for (std::uint64_t page = 0; page < 8; ++page) {
    const bool write = page % 2 == 1;
    const Tick took = write ? rig.write(page * kPage) : rig.read(page * kPage);
    EXPECT_EQ(took, write ? parameters.hit : kDevice + parameters.hit) << page;
  }
  EXPECT_EQ(cache->counts().demotions, 6u) << "two frames are free";
  EXPECT_EQ(cache->counts().device_writes, 3u);
  EXPECT_EQ(rig.read(4 * kPage), parameters.page_time() + parameters.hit);
}

// Pages by recency. Both levels together hold the most recent pages. A page promoted from a full
// second level has evicted the last page of that level before it left.
class Stack {
 public:
  Stack(std::size_t first, std::size_t second) : first_(first), whole_(first + second) {}

  int level(std::int64_t page) {
    const auto at = std::find(pages_.begin(), pages_.end(), page);
    const auto depth = static_cast<std::size_t>(std::distance(pages_.begin(), at));
    const bool known = at != pages_.end();
    if (known) {
      pages_.erase(at);
    }
    pages_.push_front(page);
    if (known && depth < first_ && depth < held_) {
      return 1;
    }
    if (known && depth < held_) {
      held_ -= held_ == whole_ ? 1 : 0;
      return 2;
    }
    held_ += held_ < whole_ ? 1 : 0;
    return 3;
  }

 private:
  std::list<std::int64_t> pages_;
  std::size_t first_;
  std::size_t whole_;
  std::size_t held_ = 0;
};

// Returns a page; low numbers are more frequent.
std::int64_t some_page(Random& random) {
  const std::uint64_t range = 4 + random.below(200);
  return static_cast<std::int64_t>(random.below(range));
}

TEST(PageCache, ExclusiveLevelsAreOneStack) {
  for (const auto& [first, second] : {std::pair(8, 0), {8, 16}, {20, 5}, {1, 1}, {30, 150}}) {
    auto cache = make_cache(levels(first, second));
    DeviceRig rig(*cache);
    Stack stack(static_cast<std::size_t>(first), static_cast<std::size_t>(second));
    Random random(41);
    std::array<std::uint64_t, 4> expected{};
    for (int i = 0; i < 5000; ++i) {
      const std::int64_t page = some_page(random);
      rig.read(static_cast<std::uint64_t>(page) * kPage, 512);
      ++expected[static_cast<std::size_t>(stack.level(page))];
      ASSERT_EQ(cache->counts().first_hits, expected[1]) << i;
      ASSERT_EQ(cache->counts().second_hits, expected[2]) << i;
      ASSERT_EQ(cache->counts().device_reads, expected[3]) << i;
    }
    EXPECT_TRUE(second == 0 || expected[2] > 10) << second;
  }
}

// The claimed trend for a second level: its hits rise with its size, the device's reads fall, and
// requests take longer the slower it is.
TEST(PageCache, ALargerSecondLevelHelpsAndASlowerOneHelpsLess) {
  const auto run = [](std::int64_t second, double slow_down, PageCacheCounts& counts) {
    PageCacheParameters parameters = levels(16, second);
    parameters.slow_down = slow_down;
    auto cache = make_cache(parameters);
    DeviceRig rig(*cache);
    Random random(47);
    const Tick took = rig.run(6000, 1, [&](std::uint64_t) {
      IoRequest request;
      request.kind = random.below(4) == 0 ? Kind::write : Kind::read;
      request.offset = static_cast<std::uint64_t>(some_page(random)) * kPage;
      request.bytes = kPage;
      return request;
    });
    counts = cache->counts();
    return took;
  };
  PageCacheCounts before;
  Tick none = run(0, 1, before);
  const Tick without = none;
  for (const std::int64_t second : {8, 32, 128}) {
    PageCacheCounts counts;
    const Tick took = run(second, 1, counts);
    EXPECT_GT(counts.second_hits, before.second_hits);
    EXPECT_LT(counts.device_reads, before.device_reads);
    EXPECT_LT(took, none);
    before = counts;
    none = took;
  }
  Tick faster{0};
  for (const double slow_down : {1.0, 5.0, 25.0}) {
    PageCacheCounts counts;
    const Tick took = run(128, slow_down, counts);
    EXPECT_GT(took, faster);
    EXPECT_LT(took, without) << "still far from the device's 100 us";
    faster = took;
  }
}

// A device that knows which pages have changes not yet written to it.
class Watch final : public StorageDevice {
 public:
  explicit Watch(std::set<std::uint64_t>& dirty)
      : dirty_(dirty), device_(TableParameters(), kCapacity) {}
  void listen(IoListener& listener) override { device_.listen(listener); }
  void submit(const IoRequest& request, Tick now) override {
    if (request.kind == Kind::read) {
      EXPECT_EQ(dirty_.count(request.offset / kPage), 0u) << "reads what is out of date";
    } else if (request.kind == Kind::write) {
      EXPECT_EQ(dirty_.erase(request.offset / kPage), 1u) << "writes what it has";
    } else {
      EXPECT_TRUE(dirty_.empty()) << "a flush comes before its pages";
      ++flushes;
    }
    device_.submit(request, now);
  }
  Bytes capacity() const override { return device_.capacity(); }
  void register_statistics(StatisticRegistry&, const std::string&) override {}
  Tick next_event() const override { return device_.next_event(); }
  Tick advance(Tick now) override { return device_.advance(now); }
  void serialize(Archive& archive) override { device_.serialize(archive); }

  int flushes = 0;

 private:
  std::set<std::uint64_t>& dirty_;
  TableDevice device_;
};

// One page at a time, so that the test knows when it becomes dirty.
TEST(PageCache, NoChangeIsLost) {
  for (const auto& [policy, ahead] : {std::pair("lru", 0), {"lirs", 0}, {"lru", 4}}) {
    std::set<std::uint64_t> dirty;
    PageCacheParameters parameters = levels(8, 20);
    parameters.replacement = policy;
    parameters.read_ahead = ahead;
    auto device = std::make_unique<Watch>(dirty);
    Watch& watch = *device;
    auto cache = make_cache(parameters, std::move(device));
    DeviceRig rig(*cache);
    Random random(53);
    for (int i = 0; i < 4000; ++i) {
      IoRequest request = any_request(random, kPage, kPage);
      request.offset += static_cast<std::uint64_t>(some_page(random)) * kPage;
      rig.send(request);
      rig.drain();
      if (request.kind == Kind::write) {
        dirty.insert(request.offset / kPage);
      }
    }
    rig.alone(Kind::flush, 0, 0);
    EXPECT_TRUE(dirty.empty());
    EXPECT_GT(watch.flushes, 100);
    EXPECT_GT(cache->counts().second_hits, 200u) << policy;
  }
}

TEST(PageCache, ALargeRequestPassesASmallCache) {
  for (const std::int64_t second : {0, 3}) {
    auto cache = make_cache(levels(2, second));
    DeviceRig rig(*cache);
    rig.read(0, static_cast<std::uint64_t>(kCapacity.value()));
    rig.write(512, static_cast<std::uint64_t>(kCapacity.value()) - 1024);
    EXPECT_EQ(rig.order.size(), 2u);
  }
}

TEST(PageCache, ContinuesFromACheckpoint) {
  for (const auto& [policy, ahead] : {std::pair("lru", 0), {"lirs", 0}, {"lru", 3}}) {
    PageCacheParameters parameters = levels(6, 10);
    parameters.replacement = policy;
    parameters.read_ahead = ahead;
    parameters.reserve = ahead / 3 * kPageBytes;
    const auto make = [&] {
      TableParameters table;
      table.channels = 3;
      return make_cache(parameters,
                        std::make_unique<TableDevice>(table, Bytes(64 * kPageBytes.value())));
    };
    expect_exact_resume(make, 60, 4 * kPage);
  }
}

}  // namespace
}  // namespace hmsim
