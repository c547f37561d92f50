// SPDX-License-Identifier: BSD-3-Clause
// Does each collaborator of a block agent do its one job by itself?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/block/block_copier.h"
#include "agents/block/block_ledger.h"
#include "agents/block/device_layout.h"
#include "agents/block/request_source.h"
#include "agents/block/write_barrier.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimmLines = 1024;

// Requests at 100, 200, 300 ... ns, of one sector each: number i reads sector i.
RequestSource source_of(const BlockKeys& keys, int requests) {
  std::string text;
  for (int i = 0; i < requests; ++i) {
    text += std::to_string(100 * (i + 1)) + " 0 " + std::to_string(i) + " 1 1\n";
  }
  const TraceReader reader(text_source(text, 1 << 20), 0, "some.trace", 0);
  RequestSource source;
  source.open(keys, 0, Random(1), find_format("mqsim")->blocks(reader));
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

TEST(WriteBarrier, AFlushWaitsForWritesAndHoldsUpThoseBehindIt) {
  BlockThreads threads;
  threads.resize(3);
  WriteBarrier barrier;
  threads[0].write = true;
  threads[1].flush_before = true;
  threads[2].write = true;
  for (const std::uint32_t thread : {0, 1, 2}) {
    barrier.wait(thread);
  }
  EXPECT_EQ(barrier.pass(threads), 0u);
  EXPECT_EQ(barrier.pass(threads), std::nullopt);
  barrier.leave(threads[0]);
  EXPECT_EQ(barrier.pass(threads), 1u);
  EXPECT_EQ(barrier.pass(threads), 2u);
  EXPECT_EQ(barrier.pass(threads), std::nullopt);
}

TEST(BlockLedger, CountsABlockWhenItsLastAccessIsDone) {
  BlockLedger ledger;
  const std::uint32_t block = ledger.open(5, 2, Tick(100), 3);
  EXPECT_EQ(ledger.thread_of(block), 5u);
  EXPECT_FALSE(ledger.end_access(block));
  EXPECT_FALSE(ledger.all_closed());
  EXPECT_TRUE(ledger.end_access(block));
  ledger.close(block, Tick(400), 4, true);
  EXPECT_TRUE(ledger.all_closed());
  EXPECT_EQ(ledger.closed(), 1);
  EXPECT_EQ(ledger.times().max(), 300);
  EXPECT_EQ(ledger.times_in_collections().count(), 1u);
  EXPECT_EQ(ledger.open(6, 1, Tick(500), 4), block);
}

// What a thread does, as letters: r and w for accesses, B before a block's first one, then the
// step.
std::string steps_of(BlockCopier& copier, BlockThread& thread) {
  std::string steps;
  const CopyStep step = copier.go_on(thread, [&](std::uint64_t, bool write, bool opens_block) {
    steps += opens_block ? "B" : "";
    steps += write ? "w" : "r";
  });
  return steps + "-PFE"[static_cast<std::size_t>(step.action)];
}

BlockThread thread_of(std::uint64_t lines, bool write) {
  BlockThread thread;
  thread.busy = true;
  thread.lines = lines;
  thread.write = write;
  return thread;
}

TEST(BlockCopier, SendsAWindowAndThenWaits) {
  BlockParameters parameters;
  parameters.window = 3;
  BlockCopier copier(parameters, kNvdimmLines);
  BlockThread thread = thread_of(4, false);
  EXPECT_EQ(steps_of(copier, thread), "Brrr-");
  --thread.outstanding;
  EXPECT_EQ(steps_of(copier, thread), "r-");
  thread.outstanding = 0;
  EXPECT_EQ(steps_of(copier, thread), "E");
}

TEST(BlockCopier, WritesBehindTheReadsOfTheirPage) {
  BlockParameters parameters;
  parameters.how.copy = CopyKind::write_back;
  BlockCopier copier(parameters, kNvdimmLines);
  BlockThread thread = thread_of(2, true);
  EXPECT_EQ(steps_of(copier, thread), "Brr-");
  thread.outstanding = thread.fetches = 0;
  EXPECT_EQ(steps_of(copier, thread), "ww-");
  EXPECT_EQ(copier.epoch(), 1u);
}

TEST(BlockCopier, FlushesBeforeAndBehind) {
  BlockCopier copier(BlockParameters(), kNvdimmLines);
  BlockThread thread = thread_of(1, true);
  thread.flush_before = thread.flush_after = true;
  EXPECT_EQ(steps_of(copier, thread), "F");
  thread.outstanding = 0;
  EXPECT_EQ(steps_of(copier, thread), "Bw-");
  thread.outstanding = 0;
  EXPECT_EQ(steps_of(copier, thread), "F");
  thread.outstanding = 0;
  EXPECT_EQ(steps_of(copier, thread), "E");
}

TEST(BlockCopier, PausesWhereAPageIsTouchedForTheFirstTime) {
  BlockParameters parameters;
  parameters.how.fault_time = kMicrosecond;
  BlockCopier copier(parameters, kNvdimmLines);
  BlockThread thread = thread_of(1, false);
  EXPECT_EQ(steps_of(copier, thread), "P");
  EXPECT_EQ(steps_of(copier, thread), "Br-");
  BlockThread again = thread_of(1, false);
  EXPECT_EQ(steps_of(copier, again), "Br-");
}

}  // namespace
}  // namespace hmsim::testing
