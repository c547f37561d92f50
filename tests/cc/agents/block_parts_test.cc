// SPDX-License-Identifier: BSD-3-Clause
// Does each collaborator of a block agent do its job in isolation?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/block/block_threads.h"
#include "agents/block/device_layout.h"
#include "agents/block/request_source.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

// Requests of one sector each at 100, 200, 300 ... ns; number i reads sector i.
RequestSource source_of(const BlockKeys& keys, int requests) {
  std::string text;
  for (int i = 0; i < requests; ++i) {
    text += std::to_string(100 * (i + 1)) + " 0 " + std::to_string(i) + " 1 1\n";
  }
  const TraceReader reader(text_source(text, 1 << 20), 0, "some.trace", 0);
  RequestSource source;
  static LeftOutRecords left_out;
  source.open(keys, 0, Random(1), find_format("mqsim")->blocks(reader), left_out);
  return source;
}

std::vector<std::uint64_t> sectors_of_pass(RequestSource& source) {
  std::vector<std::uint64_t> sectors;
  while (source.has_next()) {
    sectors.push_back(source.take(Tick(0)).request.sector);
  }
  return sectors;
}

TEST(RequestSource, GivesAPassFromItsSkipToItsLimit) {
  BlockKeys keys{FrontendParameters()};
  keys.parts.skip = 2;
  keys.requests = 3;
  keys.parts.loop = 2;
  RequestSource source = source_of(keys, 9);
  EXPECT_EQ(sectors_of_pass(source), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_FALSE(source.end_pass());
  EXPECT_DOUBLE_EQ(source.fraction(0), 0.5);
  EXPECT_EQ(sectors_of_pass(source), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_TRUE(source.end_pass());
}

TEST(RequestSource, GivesWindowsOneBehindTheOther) {
  BlockKeys keys{FrontendParameters()};
  keys.parts.windows = "skip=5, warmup=1, requests=1, weight=1; skip=0, requests=2, weight=1";
  RequestSource source = source_of(keys, 9);
  EXPECT_EQ(sectors_of_pass(source), (std::vector<std::uint64_t>{5, 6, 0, 1}));
}

TEST(RequestSource, TimedRequestsBeginWithTheFirstOfTheirWindow) {
  BlockKeys keys{FrontendParameters()};
  keys.replay = ReplayMode::timed;
  keys.parts.windows = "skip=1, requests=2, weight=1; skip=6, requests=1, weight=1";
  RequestSource source = source_of(keys, 9);
  source.begin_pass(Tick(1'000));
  EXPECT_EQ(source.take(Tick(1'000)).begin, Tick(1'000));
  EXPECT_EQ(source.take(Tick(1'000)).begin, Tick(1'000) + 100 * kNanosecond);
  EXPECT_EQ(source.take(Tick(1'000)).begin, Tick(1'000) + 100 * kNanosecond);
}

TEST(ArrivalClock, ScalesAndTellsTimesThatGoBack) {
  ArrivalClock clock("some.trace", 0.5);
  clock.restart(Tick(7));
  EXPECT_EQ(clock.arrival(1'000).time, Tick(7));
  EXPECT_EQ(clock.arrival(3'000).time, Tick(7) + kMicrosecond);
  const ArrivalClock::Arrival back = clock.arrival(2'000);
  EXPECT_TRUE(back.backward);
  EXPECT_EQ(back.time, Tick(7) + 500 * kNanosecond);
  EXPECT_EQ(clock.arrival(0).time, Tick(7));
  EXPECT_FALSE(clock.arrival(3'000).backward);
  EXPECT_THROW(clock.arrival(std::uint64_t{1} << 62), InputError);
}

TEST(DeviceLayout, DevicesAreAStrideApartAndWrap) {
  const DeviceLayout layout(Bytes(64 * 4'096), Bytes(8 * 4'096), 4'096);
  BlockRequest request;
  request.device = 2;
  request.sector = 3;
  request.sectors = 7;
  const DeviceLayout::Extent extent = layout.extent(request);
  EXPECT_EQ(extent.first_line, (2 * 8 + 1) * 64 + 3 * 8u);
  EXPECT_EQ(extent.lines, 7 * 8u);
  EXPECT_EQ(extent.pages, 2);
  EXPECT_FALSE(extent.wraps);
  request.sector = 64 * 8;
  EXPECT_TRUE(layout.extent(request).wraps);
  EXPECT_EQ(layout.extent(request).first_line, (2 * 8 + 1) * 64u);
}

// Returns a request's parts as text, for example "R0+8/0". F is a flush, f a flush for forced unit
// access, R a read, W a write and T a trim. The first line and the number of lines follow R, W and
// T. The number after the slash is `more_pages`.
std::string parts_of(const BlockRequest& request, Bytes granularity = kLineBytes) {
  constexpr std::int64_t kPages = 64;
  const DeviceLayout layout(Bytes(kPages * 4'096), Bytes(0), 0);
  BlockThread thread;
  thread.begin(request, layout.extent(request));
  std::string parts;
  while (thread.has_part()) {
    const IoRequest part = thread.next_part(layout.capacity(), granularity);
    EXPECT_EQ(part.further, !parts.empty());
    parts += parts.empty() ? "" : " ";
    if (part.kind == IoRequest::Kind::flush) {
      EXPECT_TRUE(part.barrier);
      parts += part.fua ? "f" : "F";
    } else {
      parts += "RW?T"[static_cast<std::size_t>(part.kind)];
      parts += std::to_string(part.offset / 64) + "+" + std::to_string(part.bytes / 64);
    }
    parts += "/" + std::to_string(part.more_pages);
  }
  return parts;
}

BlockRequest request_of(std::uint64_t sector, std::uint64_t sectors, bool write) {
  BlockRequest request;
  request.sector = sector;
  request.sectors = sectors;
  request.write = write;
  return request;
}

TEST(BlockThread, SendsFlushesBeforeAndAfterItsData) {
  BlockRequest request = request_of(4, 8, true);
  EXPECT_EQ(parts_of(request), "W32+64/0");
  request.flush = request.fua = true;
  EXPECT_EQ(parts_of(request), "F/2 W32+64/0 f/0");
  request.sectors = 0;
  request.fua = false;
  EXPECT_EQ(parts_of(request), "F/0");
}

TEST(BlockThread, DataThatRunOverTheEndAreTwoParts) {
  EXPECT_EQ(parts_of(request_of(64 * 8 - 4, 8, false)), "R4064+32/1 R0+32/0");
  BlockRequest trim = request_of(64 * 8 - 8, 16, false);
  trim.trim = trim.flush = true;
  EXPECT_EQ(parts_of(trim), "T4032+64/0 T0+64/0");
  trim.sectors = 0;
  EXPECT_EQ(parts_of(trim), "T4032+0/0") << "a trim of nothing ends, too";
}

TEST(BlockThread, PartsAreInUnitsOfTheDevice) {
  EXPECT_EQ(parts_of(request_of(1, 1, false), Bytes(512)), "R8+8/0");
  EXPECT_EQ(parts_of(request_of(1, 1, false), Bytes(4'096)), "R0+64/0");
}

}  // namespace
}  // namespace hmsim::testing
