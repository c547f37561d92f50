// SPDX-License-Identifier: BSD-3-Clause
// Which accesses do drivers make of a request? Times are computed by hand.
#include <gtest/gtest.h>

#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr Tick kLatency = 100 * kNanosecond;
constexpr Tick kSoftware = 3 * kMicrosecond;  // for a request of one page
constexpr Tick kSoftwareOfTwo = 3'500 * kNanosecond;
constexpr Tick kMap = 300 * kNanosecond;
constexpr Tick kFault = kMicrosecond;

Bench bench_of(const std::string& driver, const std::string& trace, Assignments more = {}) {
  Bench bench{"block_trace",
              {{"path", "t"}, {"format", "mqsim"}, {"threads", "1"}, {"driver", driver}},
              trace};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  return bench;
}

// Consecutive accesses of one kind, at one time, to consecutive lines.
struct Burst {
  char kind;  // R, W, or F for a flush
  Tick time;
  std::int64_t first;  // line
  int accesses;

  friend bool operator==(const Burst& a, const Burst& b) {
    return a.kind == b.kind && a.time == b.time && a.first == b.first && a.accesses == b.accesses;
  }
  friend std::ostream& operator<<(std::ostream& out, const Burst& burst) {
    return out << burst.kind << burst.accesses << " from line " << burst.first << " at "
               << burst.time.value() << " ps";
  }
};

std::vector<Burst> runs_of(const AgentUnderTest& test) {
  std::vector<Burst> runs;
  for (const Sent& sent : test.port.log) {
    const char kind = sent.flush ? 'F' : sent.write ? 'W' : 'R';
    const std::int64_t line = sent.address / 64;
    if (!runs.empty() && runs.back().kind == kind && runs.back().time == sent.time && kind != 'F' &&
        line == runs.back().first + runs.back().accesses) {
      ++runs.back().accesses;
    } else {
      runs.push_back({kind, sent.time, line, 1});
    }
  }
  return runs;
}

std::vector<Burst> runs_of(const Bench& bench) {
  AgentUnderTest test(bench);
  EXPECT_TRUE(test.finish());
  return runs_of(test);
}

constexpr const char* kWriteTwoPages = "0 0 0 16 0\n";
constexpr const char* kReadTwoPages = "0 0 0 16 1\n";

TEST(BlockDriver, NdPmemCopiesPagesWithoutAPause) {
  const Tick start = kSoftwareOfTwo;
  for (const char* trace : {kWriteTwoPages, kReadTwoPages}) {
    const char kind = trace == kWriteTwoPages ? 'W' : 'R';
    EXPECT_EQ(runs_of(bench_of("nd_pmem", trace, {{"window", "128"}})),
              (std::vector<Burst>{{kind, start, 0, 128}}));
    EXPECT_EQ(runs_of(bench_of("nd_pmem", trace)),
              (std::vector<Burst>{{kind, start, 0, 64}, {kind, start + kLatency, 64, 64}}));
  }
}

TEST(BlockDriver, PmbdMapsEachPageAndFencesItsCopy) {
  const Tick first = kSoftwareOfTwo + kMap;
  for (const char* end : {"done", "accepted"}) {
    // All writes are accepted at once, so the fence does not wait.
    const Tick fence = std::string(end) == "done" ? kLatency : Tick(0);
    EXPECT_EQ(runs_of(bench_of("pmbd", kWriteTwoPages, {{"window", "128"}, {"write_end", end}})),
              (std::vector<Burst>{{'W', first, 0, 64}, {'W', first + fence + kMap, 64, 64}}));
    EXPECT_EQ(runs_of(bench_of("pmbd", kReadTwoPages, {{"window", "128"}, {"write_end", end}})),
              (std::vector<Burst>{{'R', first, 0, 64}, {'R', first + kLatency + kMap, 64, 64}}));
  }
}

// 48 of a page's 64 writes get an entry at once. The other 16, limited by the window, follow when
// those complete.
TEST(BlockDriver, AcceptedWritesFreeTheWindow) {
  Bench bench = bench_of("pmbd", kWriteTwoPages, {{"window", "20"}, {"map_time", "0s"}});
  bench.slots = 48;
  const Tick first = kSoftwareOfTwo;
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const std::vector<Burst> runs = runs_of(test);
  ASSERT_GE(runs.size(), 2u);
  EXPECT_EQ(runs[0], (Burst{'W', first, 0, 64}));
  EXPECT_EQ(runs[1].time, first + kLatency) << "the fence waits for entries, not for ends";
  EXPECT_EQ(runs[1].first, 64);
  EXPECT_LE(test.port.most_outside, 20u);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 2) << "no block is lost at the end";
  EXPECT_EQ(test.io->device.response_times().count(), 2u);
}

TEST(BlockDriver, WriteBackReadsLinesBeforeItWritesThem) {
  const Tick first = kSoftwareOfTwo + kMap;
  const Tick second = first + 2 * kLatency + kMap;
  AgentUnderTest test(
      bench_of("pmbd", kWriteTwoPages, {{"copy", "write_back"}, {"write_end", "done"}}));
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(runs_of(test), (std::vector<Burst>{{'R', first, 0, 64},
                                               {'W', first + kLatency, 0, 64},
                                               {'R', second, 64, 64},
                                               {'W', second + kLatency, 64, 64}}));
  EXPECT_EQ(test.io->device.response_times().max(), 2 * kLatency.value()) << "from the first read";
  EXPECT_EQ(runs_of(bench_of("pmbd", kReadTwoPages, {{"copy", "write_back"}})),
            runs_of(bench_of("pmbd", kReadTwoPages)));
}

TEST(BlockDriver, UncachedAccessesAreOfEightBytes) {
  for (const char* trace : {"0 0 0 1 0\n", "0 0 0 1 1\n"}) {  // a sector: 8 lines
    AgentUnderTest test(bench_of("pmbd", trace, {{"copy", "uncached"}, {"write_end", "done"}}));
    ASSERT_TRUE(test.finish());
    ASSERT_EQ(test.port.log.size(), 64u);
    for (std::size_t i = 0; i < 64; ++i) {
      const Sent& sent = test.port.log[i];
      EXPECT_EQ(sent.address, static_cast<std::int64_t>(i / 8) * 64);
      EXPECT_EQ(sent.time, kSoftware + kMap + static_cast<std::int64_t>(i) * kLatency);
    }
    EXPECT_EQ(test.agent->progress(test.kernel.now()), 1);
  }
}

TEST(BlockDriver, DaxFaultsOnceAndWritesBackAtTheEnd) {
  // Two pages written, the second one read.
  AgentUnderTest test(bench_of("dax", "0 0 0 16 0\n0 0 8 8 1\n", {{"write_end", "done"}}));
  ASSERT_TRUE(test.finish());
  const Tick first = kFault;
  // The second page's fault begins when all lines of the first are sent.
  const Tick second = first + kLatency + kFault;
  EXPECT_EQ(runs_of(test), (std::vector<Burst>{{'R', first, 0, 64},
                                               {'W', first + kLatency, 0, 64},
                                               {'R', second, 64, 64},
                                               {'W', second + kLatency, 64, 64},
                                               {'R', second + 2 * kLatency, 64, 64}}));
}

TEST(BlockDriver, DaxTakesSoftwareTimeForPagesNotForRequests) {
  std::string trace;  // the same page repeatedly
  for (int i = 0; i < 5; ++i) {
    trace += "0 0 0 8 1\n";
  }
  AgentUnderTest test(bench_of("dax", trace));
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()), kFault + 5 * kLatency);
}

// A 4 KB write, then another thread's flush and a third one's write.
TEST(BlockDriver, ADriversBarrierWaitsForWritesAndDelaysLaterOnes) {
  const char* trace =
      "8,0 0 1 0.000000000 1 Q WS 0 + 8 [x]\n"
      "8,0 0 2 0.000000100 1 Q FN [x]\n"
      "8,0 0 3 0.000000200 1 Q WS 8 + 8 [x]\n"
      "8,0 0 4 0.000000200 1 Q RS 16 + 8 [x]\n";
  Bench bench = bench_of(
      "pmbd", trace,
      keys_from(
          "format=blkparse threads=4 replay=timed map_time=0s write_end=done device_stride=4KiB"));
  bench.latency = fixed(kMicrosecond);
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const std::int64_t device = 8 * 256 * 64;  // first line
  const Tick read = kSoftware + 200 * kNanosecond;
  EXPECT_EQ(runs_of(test), (std::vector<Burst>{{'W', kSoftware, device, 64},
                                               {'R', read, device + 128, 64},
                                               {'W', kSoftware + kMicrosecond, device + 64, 64}}))
      << "no command; the second write waits behind the flush, the read does not";
  EXPECT_GT(test.port.log.back().epoch, test.port.log.front().epoch + 1);

  Bench commands = bench;
  commands.keys.push_back({"barrier", "command"});
  const std::vector<Burst> runs = runs_of(commands);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1].kind, 'F');
  EXPECT_EQ(runs[2].time, read) << "what holds later writes up is the memory system";
}

TEST(BlockDriver, ForcedUnitAccessChangesNothingUnderADriversBarrier) {
  const char* trace = "8,0 0 1 0.000000000 1 Q FWFS 0 + 8 [x]\n";
  Bench bench = bench_of("pmbd", trace, {{"format", "blkparse"}});
  EXPECT_EQ(runs_of(bench).size(), 1u);
  bench.keys[3].second = "nd_pmem";
  EXPECT_EQ(runs_of(bench).size(), 3u);
}

TEST(BlockDriver, MeasuringMayBeginDuringTheSoftwareTimeOfAFlush) {
  Bench bench = bench_of("nd_pmem", "fio version 2 iolog\n/a add\n/a sync 0 0\n/a read 0 4096\n",
                         {{"format", "fio"}, {"requests", "1"}});
  AgentUnderTest test(bench);
  test.kernel.run_until(kMicrosecond);
  test.agent->begin_measuring(test.kernel.now());
  ASSERT_TRUE(test.finish());
  const std::vector<Burst> runs = runs_of(test);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].kind, 'F') << "the flush was not forgotten";
  EXPECT_EQ(runs[0].time, kSoftware);
  EXPECT_EQ(runs[1].kind, 'R');
}

TEST(BlockDriver, KeysOverrideTheirDriver) {
  EXPECT_EQ(
      runs_of(bench_of(
          "nd_pmem", kWriteTwoPages,
          keys_from("window=128 wait=block map_time=300ns write_end=accepted barrier=driver"))),
      runs_of(bench_of("pmbd", kWriteTwoPages, {{"window", "128"}})));
  Bench bench = bench_of("dax", kReadTwoPages);
  bench.keys.insert(bench.keys.begin(), {"fault_time", "0s"});  // also before its driver
  EXPECT_EQ(runs_of(bench).front().time, Tick(0));
  EXPECT_THROW(runs_of(bench_of("brd", kReadTwoPages)), InputError);
  EXPECT_THROW(runs_of(bench_of("pmbd", kReadTwoPages, {{"map_time", "2s"}})), InputError);
}

// A run that is saved and loaded at any moment continues exactly.
TEST(BlockDriver, CheckpointsHoldRequestsInFlight) {
  std::string trace;
  for (int i = 0; i < 12; ++i) {
    const std::string kind = i % 4 == 3 ? "FN" : i % 4 == 1 ? "RS" : "FWS";
    trace += "8,0 0 1 0.00000" + std::to_string(1000 + 7 * i) + " 1 Q " + kind + " " +
             std::to_string(5 * i) + " + 24 [x]\n";
  }
  for (const char* driver : {"nd_pmem", "pmbd", "dax"}) {
    for (const char* copy : {"non_temporal", "write_back", "uncached"}) {
      Bench bench = bench_of(driver, trace,
                             {{"format", "blkparse"}, {"copy", copy}, {"device_stride", "4KiB"}});
      bench.keys[2].second = "3";
      bench.slots = 30;
      bench.nvdimm = Bytes(1 << 20);
      for (const std::int64_t microseconds : {1, 4, 7, 10, 14}) {
        AgentUnderTest whole(bench);
        whole.kernel.run_until(microseconds * kMicrosecond);
        const std::string saved = whole.save();
        const std::size_t before = whole.port.log.size();
        ASSERT_TRUE(whole.finish()) << driver << " " << copy << " " << microseconds;
        AgentUnderTest other(bench);
        other.load(saved);
        ASSERT_TRUE(other.finish());
        const std::vector<Sent> rest(whole.port.log.begin() + static_cast<std::ptrdiff_t>(before),
                                     whole.port.log.end());
        EXPECT_EQ(other.port.log, rest) << driver << " " << copy << " " << microseconds;
        EXPECT_EQ(other.kernel.now(), whole.kernel.now());
      }
    }
  }
}

// Fences that wait only for acceptance would acknowledge data that a power failure loses.
TEST(BlockDriver, RejectsWritesThatEndBeforeTheyAreSafe) {
  FrontendParameters module;
  module.node.persistence = Persistence::module;
  for (const char* driver : {"nd_pmem", "pmbd", "dax"}) {
    const Assignments keys = bench_of(driver, kWriteTwoPages).keys;
    EXPECT_NO_THROW(make_agent_of("block_trace", keys));
    if (driver == std::string("nd_pmem")) {
      EXPECT_NO_THROW(make_agent_of("block_trace", keys, module));
      continue;
    }
    EXPECT_TRUE(names(error_from([&] { make_agent_of("block_trace", keys, module); }),
                      {"write_end:", "'accepted'", "frontend.node.persistence", "'done'"}))
        << driver;
    const Assignments done = bench_of(driver, kWriteTwoPages, {{"write_end", "done"}}).keys;
    EXPECT_NO_THROW(make_agent_of("block_trace", done, module));
  }
}

}  // namespace
}  // namespace hmsim::testing
