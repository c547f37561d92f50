// SPDX-License-Identifier: BSD-3-Clause
// Do windows of a block trace act like a trace cut and joined by hand, and are they measured
// separately?
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

struct Io {
  std::int64_t arrival;  // ns
  std::uint64_t sector;
  std::uint64_t sectors;
  bool read;
};

std::string text_of(const std::vector<Io>& requests) {
  std::string text;
  for (const Io& io : requests) {
    text += std::to_string(io.arrival) + " 0 " + std::to_string(io.sector) + " " +
            std::to_string(io.sectors) + (io.read ? " 1\n" : " 0\n");
  }
  return text;
}

std::vector<Io> random_requests(Random& random, int count) {
  std::vector<Io> requests;
  std::int64_t time = 0;
  for (int i = 0; i < count; ++i) {
    time += static_cast<std::int64_t>(random.below(20'000));
    requests.push_back({time, random.below(1 << 20), 1 + random.below(40), random.below(3) != 0});
  }
  return requests;
}

// Appends requests `from` to `from + count`; the first one arrives together with the last one
// before it.
void append(std::vector<Io>& to, const std::vector<Io>& requests, std::size_t from,
            std::size_t count) {
  const std::int64_t last = to.empty() ? 0 : to.back().arrival;
  for (std::size_t i = from; i < from + count; ++i) {
    to.push_back(requests[i]);
    to.back().arrival += last - requests[from].arrival;
  }
}

Bench bench_of(const std::string& trace, const Assignments& more) {
  Bench bench{"block_trace", {{"path", "t"}, {"format", "mqsim"}}, trace};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  bench.latency = [](const Request& request) {
    return Tick(static_cast<std::int64_t>(
        mix64(static_cast<std::uint64_t>(request.address.value())) % 2'000'000));
  };
  return bench;
}

// A later window first, and overlapping windows.
constexpr const char* kWindows =
    "skip=60, requests=25; skip=5, warmup=10, requests=15, weight=2; skip=20, requests=30";

std::vector<Io> cut_by_hand(const std::vector<Io>& requests) {
  std::vector<Io> cut;
  append(cut, requests, 60, 25);
  append(cut, requests, 5, 25);
  append(cut, requests, 20, 30);
  return cut;
}

TEST(BlockWindows, EqualTracesCutToTheWindow) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Io> requests = random_requests(random, 100);
    Assignments keys{{"loop", "2"}, {"driver", seed % 2 == 0 ? "nd_pmem" : "pmbd"}};
    if (seed >= 3) {
      keys.emplace_back("replay", "timed");
      keys.emplace_back("threads", "200");  // one thread is always free
    }
    AgentUnderTest by_hand(bench_of(text_of(cut_by_hand(requests)), keys));
    keys.emplace_back("windows", kWindows);
    AgentUnderTest windows(bench_of(text_of(requests), keys));
    ASSERT_TRUE(by_hand.finish());
    ASSERT_TRUE(windows.finish());
    EXPECT_EQ(windows.kernel.now(), by_hand.kernel.now());
    EXPECT_EQ(windows.agent->progress(windows.kernel.now()),
              by_hand.agent->progress(by_hand.kernel.now()));
    EXPECT_TRUE(windows.port.log == by_hand.port.log);
    EXPECT_GT(windows.agent->weighted_rate(), 0);
    EXPECT_EQ(by_hand.agent->weighted_rate(), 0);
  }
}

double rate(Agent& agent, int window) {
  return statistics_of(agent).at("core.0.window." + std::to_string(window) + ".rate");
}

// Requests of one 4 KiB block: 100 with a memory latency of 100 ns, then 50 with 1.9 us. Each
// request takes another 3 us.
Bench fast_and_slow(Assignments more) {
  std::vector<Io> requests(100, {0, 8, 8, true});
  requests.insert(requests.end(), 50, {0, 1 << 20, 8, true});
  more.emplace_back("windows",
                    "skip=10, warmup=5, requests=20, weight=3; skip=110, warmup=3, requests=10");
  Bench bench = bench_of(text_of(requests), more);
  bench.latency = [](const Request& request) {
    return request.address.value() < 4096 * 2 ? 100 * kNanosecond : 1'900 * kNanosecond;
  };
  return bench;
}

TEST(BlockWindows, AreMeasuredSeparatelyAndWeighted) {
  for (const char* loop : {"1", "3"}) {
    AgentUnderTest test(fast_and_slow({{"threads", "1"}, {"loop", loop}}));
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.agent->progress(test.kernel.now()), 38 * std::stoi(loop));
    EXPECT_DOUBLE_EQ(rate(*test.agent, 0), 1e6 / 3.1);
    EXPECT_DOUBLE_EQ(rate(*test.agent, 1), 1e6 / 4.9);
    EXPECT_DOUBLE_EQ(test.agent->weighted_rate(), 4e6 / (3 * 3.1 + 4.9));
    const double weighted = test.agent->weighted_rate();
    test.kernel.run_until(test.kernel.now() * 4);  // started over
    EXPECT_EQ(test.agent->weighted_rate(), weighted);
  }
}

TEST(BlockWindows, WithSeveralThreadsLastFromEndToEnd) {
  // Four requests at a time: 5 rounds of 3.1 us. The second window begins within a round of 3.1 us
  // and ends with one of 4.9 us.
  AgentUnderTest test(fast_and_slow({{"threads", "4"}}));
  ASSERT_TRUE(test.finish());
  const double first = rate(*test.agent, 0);
  const double second = rate(*test.agent, 1);
  EXPECT_GE(first, 0.8 * 4e6 / 3.1);
  EXPECT_LE(first, 1.2 * 4e6 / 3.1);
  EXPECT_GE(second, 0.6 * 4e6 / 4.9);
  EXPECT_LE(second, 1.2 * 4e6 / 4.9);
}

TEST(BlockWindows, ContinueFromACheckpoint) {
  Random random(4);
  const std::string trace = text_of(random_requests(random, 100));
  const Bench bench = bench_of(trace, {{"windows", kWindows}, {"loop", "2"}});
  expect_exact_resume(bench, {2, 3, 5});
}

TEST(BlockWindows, RejectInvalidWindows) {
  const std::string trace = text_of(std::vector<Io>(10, {0, 0, 8, true}));
  const auto refusal = [&trace](const Assignments& keys) -> std::string {
    return error_from([&] {
      AgentUnderTest test(bench_of(trace, keys));
      test.finish();
    });
  };
  EXPECT_EQ(refusal({{"windows", "skip=8, requests=2"}}), "");
  EXPECT_TRUE(names(refusal({{"windows", "skip=8, requests=3"}}), {"windows: window 0", "10"}));
  EXPECT_TRUE(names(refusal({{"windows", "skip=2, instructions=3"}}),
                    {"windows: window 0:", "'instructions'", "requests"}));
  EXPECT_TRUE(names(refusal({{"windows", "skip=2, request=3"}}), {"windows:", "'requests'?"}));
  EXPECT_TRUE(names(refusal({{"windows", "skip=2"}}), {"windows: window 0: requests:"}));
  EXPECT_EQ(refusal({{"windows", "requests=2"}, {"requests", "3"}}).rfind("requests: ", 0), 0u);
  EXPECT_EQ(refusal({{"windows", "requests=2"}, {"skip", "3"}}).rfind("skip: ", 0), 0u);
}

}  // namespace
}  // namespace hmsim::testing
