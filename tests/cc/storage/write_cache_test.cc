// SPDX-License-Identifier: BSD-3-Clause
// Does a write-back cache end writes at once, as long as it has room, and lose no sector?
#include "storage/write_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>

#include "storage/table_device.h"
#include "tests/cc/storage/device_rig.h"
#include "tests/cc/storage/rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr std::uint64_t kPage = 4096;
constexpr Bytes kCapacity{1 << 20};
constexpr Tick kHit = 50 * kMicrosecond;
constexpr Tick kDevice = 100 * kMicrosecond;

WriteCacheParameters cache_of(std::int64_t pages, std::int64_t depth) {
  WriteCacheParameters parameters;
  parameters.size = pages * kPageBytes;
  parameters.hit = kHit;
  parameters.depth = depth;
  return parameters;
}

std::unique_ptr<WriteCache> make_cache(std::int64_t pages, std::int64_t depth) {
  return std::make_unique<WriteCache>(cache_of(pages, depth),
                                      std::make_unique<TableDevice>(TableParameters(), kCapacity));
}

TEST(WriteCache, AWriteAndAFlushTakeAHit) {
  auto cache = make_cache(4, 1);
  DeviceRig rig(*cache);
  EXPECT_EQ(rig.write(0), kHit);
  EXPECT_EQ(rig.alone(Kind::flush, 0, 0), kHit);
  EXPECT_EQ(rig.read(0), kDevice) << "the page is on the device";
  EXPECT_EQ(cache->counts().destaged, 1u);
}

TEST(WriteCache, AReadOfUnwrittenSectorsIsAHit) {
  auto cache = make_cache(4, 1);
  DeviceRig rig(*cache);
  rig.send(Kind::write, 0, kPage);
  const std::uint32_t part = rig.send(Kind::read, 512, 1024);
  const std::uint32_t more = rig.send(Kind::read, kPage / 2, kPage);
  rig.drain();
  EXPECT_EQ(rig.took(part), kHit);
  EXPECT_EQ(rig.took(more), 2 * kDevice) << "after the write of page 0";
  EXPECT_EQ(cache->counts().hits, 1u);
  EXPECT_EQ(cache->counts().passed, 1u);
}

// Two frames, one write to the device at a time: the third write waits for the first page's.
TEST(WriteCache, AFullCacheMakesWritesWaitForTheDevice) {
  auto cache = make_cache(2, 1);
  DeviceRig rig(*cache);
  for (std::uint64_t page = 0; page < 4; ++page) {
    rig.send(Kind::write, page * kPage, kPage);
  }
  rig.drain();
  EXPECT_EQ(rig.took(0), kHit);
  EXPECT_EQ(rig.took(1), kHit);
  EXPECT_EQ(rig.took(2), kDevice + kHit);
  EXPECT_EQ(rig.took(3), 2 * kDevice + kHit);
}

// While page 0 is written, sectors 1 and 5 of page 1 change: one request covers both. A sector of
// page 0 that changes meanwhile is written again, alone.
TEST(WriteCache, SectorsOfAPageAreWrittenTogetherAndThoseThatChangeAgain) {
  auto device = std::make_unique<testing::ConstantDevice>(kDevice);
  const testing::ConstantDevice& log = *device;
  WriteCache cache(cache_of(4, 1), std::move(device));
  DeviceRig rig(cache);
  rig.send(Kind::write, 0, kPage);
  rig.send(Kind::write, kPage + 512, 512);
  rig.send(Kind::write, kPage + 5 * 512, 512);
  rig.send(Kind::write, 1024, 512);
  rig.drain();
  ASSERT_EQ(log.requests.size(), 3u);
  EXPECT_EQ(log.requests[1].offset, kPage + 512);
  EXPECT_EQ(log.requests[1].bytes, 5 * 512u);
  EXPECT_EQ(log.requests[2].offset, 1024u);
  EXPECT_EQ(log.requests[2].bytes, 512u);
  EXPECT_EQ(cache.counts().pages, 4u);
  EXPECT_EQ(cache.counts().rewritten, 2u);
}

// A write's sectors are in the cache as soon as their page has a frame, and no page is sent before.
TEST(WriteCache, EverySectorReachesTheDeviceAfterItsLastWrite) {
  auto device = std::make_unique<testing::ConstantDevice>(kDevice);
  const testing::ConstantDevice& log = *device;
  WriteCache cache(cache_of(8, 3), std::move(device));
  DeviceRig rig(cache);
  Random random(5);
  std::set<std::uint64_t> unwritten;
  std::size_t seen = 0;
  const auto look = [&] {
    for (; seen < log.requests.size(); ++seen) {
      const IoRequest& sent = log.requests[seen];
      const std::uint64_t end = sent.offset + (sent.kind == Kind::write ? sent.bytes : 0);
      for (std::uint64_t at = sent.offset; at < end; at += 512) {
        unwritten.erase(at);
      }
    }
  };
  for (int i = 0; i < 3000; ++i) {
    IoRequest request = any_request(random, 64 * kPage, 3 * kPage);
    request.barrier = false;
    look();
    if (request.kind == Kind::write) {
      for (std::uint64_t at = request.offset; at < request.offset + request.bytes; at += 512) {
        unwritten.insert(at);
      }
    }
    if (request.kind != Kind::flush) {
      rig.send(request);
    }
    rig.kernel().run_until(rig.now() + Tick(static_cast<std::int64_t>(random.below(60'000'000))));
  }
  EXPECT_FALSE(unwritten.empty());
  rig.drain();
  look();
  EXPECT_TRUE(unwritten.empty());
  EXPECT_GT(cache.counts().rewritten, 100u);
}

TEST(WriteCache, ContinuesFromACheckpoint) {
  expect_exact_resume([] { return make_cache(6, 2); }, 60, 4 * kPage);
}

}  // namespace
}  // namespace hmsim
