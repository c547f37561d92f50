// SPDX-License-Identifier: BSD-3-Clause
// Does block I/O become the right lines at the right times?
#include <gtest/gtest.h>

#include <map>

#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

Bench block_bench(const std::string& trace, Assignments more = {}) {
  Bench bench{"block_trace", {{"path", "t"}, {"format", "mqsim"}}, trace};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  return bench;
}

std::vector<std::int64_t> addresses(const AgentUnderTest& test) {
  std::vector<std::int64_t> list;
  for (const Sent& sent : test.port.log) {
    EXPECT_EQ(sent.memory, MemoryClass::nvdimm);
    list.push_back(sent.address);
  }
  return list;
}

// Returns the lines that bytes [first, first + length) touch.
std::vector<std::int64_t> lines_of(std::int64_t first, std::int64_t length) {
  std::vector<std::int64_t> list;
  for (std::int64_t line = first / 64; line <= (first + length - 1) / 64; ++line) {
    list.push_back(line * 64);
  }
  return list;
}

TEST(BlockAgent, ARequestTouchesItsLinesInOrder) {
  struct Case {
    std::int64_t sector;
    std::int64_t sectors;
    std::int64_t blocks;
  };
  for (const Case c : {Case{0, 8, 1}, Case{1, 1, 1}, Case{7, 2, 2}, Case{3, 16, 3},
                       Case{5, 100, 14}, Case{8, 8, 1}}) {
    const std::string trace =
        "77 0 " + std::to_string(c.sector) + " " + std::to_string(c.sectors) + " 1\n";
    AgentUnderTest test(block_bench(trace));
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(addresses(test), lines_of(c.sector * 512, c.sectors * 512));
    EXPECT_EQ(test.agent->progress(test.kernel.now()), c.blocks);
    EXPECT_EQ(test.io->device.response_times().count(), static_cast<std::uint64_t>(c.blocks));
    // Software first: 2.5 us plus 0.5 us per block.
    EXPECT_EQ(test.port.log.front().time, (5 + c.blocks) * kMicrosecond / 2);
    EXPECT_FALSE(test.port.log.front().write);
  }
}

TEST(BlockAgent, SkipsAndRepeatsItsRequests) {
  const std::string trace = "0 0 0 8 1\n5 0 80 8 1\n9 0 160 8 1\n";
  AgentUnderTest test(block_bench(trace, {{"skip", "1"}, {"loop", "3"}, {"threads", "1"}}));
  ASSERT_TRUE(test.finish());
  std::vector<std::int64_t> wanted;
  for (int pass = 0; pass < 3; ++pass) {
    for (const std::int64_t sector : {80, 160}) {
      for (const std::int64_t line : lines_of(sector * 512, 4096)) {
        wanted.push_back(line);
      }
    }
  }
  EXPECT_EQ(addresses(test), wanted);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 6);
  EXPECT_THROW(AgentUnderTest(block_bench(trace, {{"skip", "4"}})), InputError);
}

TEST(BlockAgent, CopiesBeginAtTheirOwnParts) {
  for (const std::int64_t copy : {0, 1, 3}) {
    AgentUnderTest test(
        block_bench("0 0 8 8 1\n", {{"copies", "4"}, {"copy_number", std::to_string(copy)}}));
    ASSERT_TRUE(test.finish());
    const std::int64_t pages = test.port.capacity(MemoryClass::nvdimm).value() / 4096;
    EXPECT_EQ(addresses(test), lines_of(pages / 4 * copy * 4096 + 4096, 4096));
  }
}

// Two blocks written, one read, one written.
TEST(BlockAgent, FencesEndPersistEpochs) {
  const std::string trace = "0 0 0 16 0\n0 0 0 8 1\n0 0 8 8 0\n";
  for (const bool block : {true, false}) {
    AgentUnderTest test(
        block_bench(trace, {{"threads", "1"}, {"fence", block ? "block" : "request"}}));
    ASSERT_TRUE(test.finish());
    std::map<std::uint64_t, int> writes;
    for (const Sent& sent : test.port.log) {
      writes[sent.epoch] += sent.write ? 1 : 0;
    }
    EXPECT_EQ(writes[0], block ? 64 : 128);
    EXPECT_EQ(writes[1], 64);
    EXPECT_EQ(writes[2], block ? 64 : 0);
  }
}

// Returns the sequence of operations: F for a flush, W and R for lines written and read.
std::string kinds(const AgentUnderTest& test) {
  std::string text;
  for (const Sent& sent : test.port.log) {
    const char kind = sent.flush ? 'F' : sent.write ? 'W' : 'R';
    if (text.empty() || text.back() != kind || sent.flush) {
      text.push_back(kind);
    }
  }
  return text;
}

TEST(BlockAgent, FlushesPrecedeAndFollowTheirData) {
  Bench bench = block_bench(
      "8,0 0 1 0.000000000 1 Q FWFS 0 + 16 [x]\n"
      "8,0 0 2 0.000000000 1 Q R 0 + 8 [x]\n"
      "8,0 0 3 0.000000000 1 Q FWS [x]\n"
      "8,0 0 4 0.000000000 1 Q FN 0 + 0 [x]\n"
      "8,0 0 5 0.000000000 1 Q WFS 0 + 8 [x]\n",
      {{"format", "blkparse"}, {"threads", "1"}});
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(kinds(test), "FWFRFFWF");
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 4);
  // Software time of two blocks, then the first flush; the first line follows its completion.
  EXPECT_EQ(test.port.log[0].time, 3'500 * kNanosecond);
  EXPECT_GT(test.port.log[1].time, test.port.log[0].time);
  // A flush ends an epoch.
  EXPECT_NE(test.port.log[1].epoch, test.port.log.back().epoch);
}

TEST(BlockAgent, AThreadWaitsForItsFlushWhileOthersContinue) {
  Bench bench =
      block_bench("fio version 2 iolog\n/a add\n/a sync 0 0\n/a read 0 4096\n/a read 4096 4096\n",
                  {{"format", "fio"}, {"threads", "2"}, {"requests", "3"}});
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(kinds(test), "FR");
  EXPECT_EQ(test.port.log[0].time, test.port.log[1].time) << "the other thread's first line";
}

TEST(BlockAgent, ATrimTakesSoftwareTimeAndWraps) {
  const Bytes capacity(std::int64_t{1} << 20);
  Bench bench = block_bench(
      "8,0 0 1 0.000000000 1 Q D 2040 + 24 [x]\n"
      "8,0 0 2 0.000000000 1 Q R 0 + 8 [x]\n",
      {{"format", "blkparse"}, {"threads", "1"}, {"device_stride", "1MiB"}});
  bench.nvdimm = capacity;
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  using Trims = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(test.port.trims, (Trims{{2040 * 512, 8 * 512}, {0, 16 * 512}}));
  EXPECT_EQ(test.port.log.front().time, 2 * 3 * kMicrosecond);  // of two requests
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 1);
}

TEST(BlockAgent, DevicesAreApartAndAddressesWrap) {
  const Bytes capacity(std::int64_t{16} << 20);
  Bench bench = block_bench("0 0 0 8 0\n0 3 0 8 0\n0 0 32768 8 0\n0 1 18014398509481976 8 0\n",
                            {{"threads", "1"}});
  bench.nvdimm = capacity;
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const std::vector<std::int64_t> got = addresses(test);
  ASSERT_EQ(got.size(), 256u);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[64], std::int64_t{3} << 20);
  EXPECT_EQ(got[128], 0);  // 16 MiB further: wraps around once
  EXPECT_EQ(got[192], (std::int64_t{1} << 20) - 4096);
  EXPECT_EQ(test.agent->address_wraps(), 2u);
  EXPECT_TRUE(test.port.log[0].write);

  Bench apart = block_bench("0 2 0 8 0\n", {{"device_stride", "8KiB"}});
  AgentUnderTest other(apart);
  ASSERT_TRUE(other.finish());
  EXPECT_EQ(other.port.log[0].address, 2 * 8192);
}

TEST(BlockAgent, ARequestMayWrapAroundTheEnd) {
  Bench bench = block_bench("0 0 32760 16 1\n");
  bench.nvdimm = Bytes(std::int64_t{16} << 20);
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const std::vector<std::int64_t> got = addresses(test);
  EXPECT_EQ(got[0], (std::int64_t{16} << 20) - 4096);
  EXPECT_EQ(got[63], (std::int64_t{16} << 20) - 64);
  EXPECT_EQ(got[64], 0);
  EXPECT_EQ(test.agent->address_wraps(), 1u);
}

std::string ten_blocks() {
  std::string trace;
  for (int i = 0; i < 10; ++i) {
    trace += std::to_string(1'000'000 * (i + 5)) + " 0 " + std::to_string(8 * i) + " 8 1\n";
  }
  return trace;
}

TEST(BlockAgent, ClosedThreadsTakeTheNextRequestWhenTheirLastIsDone) {
  AgentUnderTest test(block_bench(ten_blocks(), {{"threads", "1"}}));
  ASSERT_TRUE(test.finish());
  // Every block: 3 us of software, 64 lines at once, 100 ns.
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(test.port.log[static_cast<std::size_t>(64 * i)].time,
              3 * kMicrosecond + i * (3 * kMicrosecond + 100 * kNanosecond));
  }
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()),
            10 * (3 * kMicrosecond + 100 * kNanosecond));
  EXPECT_EQ(test.io->device.response_times().max(), 100'000);

  AgentUnderTest four(block_bench(ten_blocks(), {{"threads", "4"}}));
  ASSERT_TRUE(four.finish());
  EXPECT_EQ(four.agent->measured_time(four.kernel.now()),
            3 * (3 * kMicrosecond + 100 * kNanosecond));
  EXPECT_EQ(four.agent->progress(four.kernel.now()), 10);
}

TEST(BlockAgent, TimedRequestsStartAtTheirArrival) {
  AgentUnderTest test(block_bench(ten_blocks(), {{"replay", "timed"}}));
  ASSERT_TRUE(test.finish());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(test.port.log[static_cast<std::size_t>(64 * i)].time,
              i * 1000 * kMicrosecond + 3 * kMicrosecond);
  }
  AgentUnderTest scaled(block_bench(ten_blocks(), {{"replay", "timed"}, {"time_scale", "0.25"}}));
  ASSERT_TRUE(scaled.finish());
  EXPECT_EQ(scaled.port.log[64 * 9].time, 9 * 250 * kMicrosecond + 3 * kMicrosecond);
}

TEST(BlockAgent, TimedRequestsQueueForAThread) {
  Bench bench = block_bench("10 0 0 8 1\n11 0 8 8 1\n500000 0 16 8 1\n5 0 24 8 1\n",
                            {{"replay", "timed"}, {"threads", "1"}});
  bench.latency = fixed(10 * kMicrosecond);
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const auto start = [&](std::size_t i) { return test.port.log[64 * i].time; };
  EXPECT_EQ(start(0), 3 * kMicrosecond);
  EXPECT_EQ(start(1), 16 * kMicrosecond);
  EXPECT_EQ(start(2), Tick(499'990'000) + 3 * kMicrosecond);
  // Request 3 has an earlier arrival time than request 0. It still starts after request 2, because
  // requests queue in trace order.
  EXPECT_EQ(start(3), start(2) + 13 * kMicrosecond);
  EXPECT_EQ(test.agent->backward_arrivals(), 1u);
}

TEST(BlockAgent, TheWindowAndTheOrderOfEachThreadHold) {
  std::string trace;
  for (int i = 0; i < 40; ++i) {
    trace += "0 0 " + std::to_string(1000 * i + i % 8) + " " + std::to_string(1 + 7 * i) + " 1\n";
  }
  for (const std::int64_t window : {1, 7, 64, 200}) {
    Bench bench = block_bench(
        trace, {{"threads", "3"}, {"window", std::to_string(window)}, {"software_time", "100ns"}});
    bench.latency = [](const Request& request) {
      return Tick(static_cast<std::int64_t>(
          mix64(static_cast<std::uint64_t>(request.address.value())) % 1'000'000));
    };
    AgentUnderTest test(bench);
    std::size_t most = 0;
    while (!test.agent->finished_once()) {
      ASSERT_TRUE(test.kernel.step(kNever));
      most = std::max(most, test.port.used());
    }
    EXPECT_LE(most, static_cast<std::size_t>(3 * window));
    EXPECT_GE(most, static_cast<std::size_t>(2 * window));
    std::map<std::int64_t, std::vector<std::int64_t>> by_request;
    for (const std::int64_t address : addresses(test)) {
      by_request[address / 512 / 1000].push_back(address);
    }
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(by_request[i], lines_of((1000 * i + i % 8) * 512, (1 + 7 * i) * 512));
    }
  }
}

TEST(BlockAgent, LimitsItsRequestsAndStartsOver) {
  AgentUnderTest test(block_bench(ten_blocks(), {{"requests", "3"}, {"threads", "1"}}));
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 3);
  EXPECT_EQ(test.port.log.size(), 3u * 64);
  const Tick first = test.kernel.now();
  test.kernel.run_until(2 * first + kMicrosecond);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 3);
  EXPECT_EQ(test.agent->work(test.kernel.now()), 6);
  EXPECT_EQ(test.io->device.response_times().count(), 3u);
  EXPECT_EQ(test.port.log[3 * 64].address, 0);
}

TEST(BlockAgent, MeasuringMayBeginWhileThreadsRunOut) {
  AgentUnderTest test(block_bench(ten_blocks(), {{"requests", "4"}, {"threads", "2"}}));
  test.kernel.run_until(5 * kMicrosecond);  // all four have started
  test.agent->begin_measuring(test.kernel.now());
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.port.log.size(), 64u * 8);
}

TEST(BlockAgent, NeedsAnNvdimm) {
  Bench bench = block_bench(ten_blocks());
  bench.nvdimm = Bytes(0);
  EXPECT_THROW(AgentUnderTest{bench}, InputError);
  EXPECT_THROW(AgentUnderTest{block_bench("")}, InputError);
  EXPECT_THROW(AgentUnderTest{block_bench(ten_blocks(), {{"device_stride", "100B"}})}, InputError);
  EXPECT_THROW(AgentUnderTest{block_bench(ten_blocks(), {{"format", "ramulator"}})}, InputError);
}

TEST(BlockAgent, AnArrivalTimeThatOverflowsIsAnInputError) {
  AgentUnderTest test(block_bench("0 0 0 8 1\n18446744073709551615 0 0 8 1\n",
                                  {{"replay", "timed"}, {"threads", "1"}}));
  EXPECT_THROW(test.finish(), InputError);
}

// The port answers at once, so a request takes its 3 us of software.
TEST(BlockAgent, InferredRequestsHaveThinkTimes) {
  AgentUnderTest test({"block_trace",
                       {{"path", "t"}, {"format", "msr"}, {"replay", "inferred"}},
                       "0,h,0,Read,0,4096,2000\n3000,h,0,Read,4096,4096,2000\n"
                       "6000,h,0,Read,8192,4096,2000\n"});
  ASSERT_TRUE(test.finish());
  const Tick software = 3 * kMicrosecond;
  const Tick think = 100 * kMicrosecond;
  std::vector<Tick> begins;
  for (const Sent& sent : test.port.log) {
    if (sent.address % 4096 == 0) {
      begins.push_back(sent.time);
    }
  }
  ASSERT_EQ(begins.size(), 3u);
  EXPECT_GE(begins[1] - begins[0], software + think);
  EXPECT_EQ(begins[2] - begins[1], begins[1] - begins[0]);
}

}  // namespace
}  // namespace hmsim::testing
