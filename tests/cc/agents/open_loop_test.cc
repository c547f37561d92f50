// SPDX-License-Identifier: BSD-3-Clause
// Do requests arrive at the offered rate, wait, and get dropped as their keys say?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "agents/block/arrival_process.h"
#include "agents/io_meter.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kUs = kMicrosecond.value();

std::vector<std::int64_t> arrivals(const ArrivalKeys& keys, std::size_t count,
                                   std::uint64_t seed = 1, Tick origin = Tick(0)) {
  ArrivalProcess process(keys, Random(seed));
  process.restart(origin);
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(process.next().value());
    process.step();
  }
  return times;
}

ArrivalKeys keys_of(Arrivals kind, double rate) {
  ArrivalKeys keys;
  keys.arrivals = kind;
  keys.rate = rate;
  return keys;
}

TEST(ArrivalProcess, AFixedRateIsExact) {
  const std::vector<std::int64_t> times = arrivals(keys_of(Arrivals::fixed, 300'000), 1'000'001);
  for (const std::int64_t k : {0, 1, 2, 3, 299'999, 1'000'000}) {
    EXPECT_EQ(times[static_cast<std::size_t>(k)], k * 10'000'000 / 3);  // 1/300,000 s in ps
  }
  const std::vector<std::int64_t> slow = arrivals(keys_of(Arrivals::fixed, 0.001), 3, 1, Tick(7));
  EXPECT_EQ(slow, (std::vector<std::int64_t>{7, 1'000'000'000'000'007, 2'000'000'000'000'007}));
}

// The exponential law: mean m, variance m^2, and bins of equal probability.
TEST(ArrivalProcess, PoissonGapsFollowTheExponentialLaw) {
  constexpr std::size_t kGaps = 100'000;
  constexpr std::size_t kBins = 50;
  const double mean = 4.0 * static_cast<double>(kUs);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<std::int64_t> times =
        arrivals(keys_of(Arrivals::poisson, 250'000), kGaps + 1, seed);
    double sum = 0;
    double squares = 0;
    std::vector<double> bins(kBins);
    for (std::size_t i = 0; i < kGaps; ++i) {
      const auto gap = static_cast<double>(times[i + 1] - times[i]);
      sum += gap;
      squares += (gap - mean) * (gap - mean);
      const double below = 1 - std::exp(-(gap + 0.5) / mean);
      ++bins[std::min(static_cast<std::size_t>(below * kBins), kBins - 1)];
    }
    // Five standard errors; the fourth central moment is 9 m^4, so that of squares is 8 m^4 / n.
    const double root = std::sqrt(static_cast<double>(kGaps));
    EXPECT_NEAR(sum / kGaps, mean, 5 * mean / root);
    EXPECT_NEAR(squares / kGaps, mean * mean, 5 * std::sqrt(8) * mean * mean / root);
    double chi = 0;
    for (const double met : bins) {
      constexpr double kEach = static_cast<double>(kGaps) / kBins;
      chi += (met - kEach) * (met - kEach) / kEach;
    }
    EXPECT_NEAR(chi, kBins - 1, 5 * std::sqrt(2.0 * (kBins - 1)));
  }
  EXPECT_NE(arrivals(keys_of(Arrivals::poisson, 1'000), 5, 1),
            arrivals(keys_of(Arrivals::poisson, 1'000), 5, 2));
}

// 1,000 requests/s in bursts of 1 ms out of 10 ms: 10 requests per burst, 100 us apart.
TEST(ArrivalProcess, BurstsHaveTheMeanRate) {
  ArrivalKeys keys = keys_of(Arrivals::bursty, 1'000);
  keys.burst_on = kMillisecond;
  keys.burst_off = kMillisecond * 9;
  const std::vector<std::int64_t> times = arrivals(keys, 10'001);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto burst = static_cast<std::int64_t>(k / 10);
    const auto within = static_cast<std::int64_t>(k % 10);
    ASSERT_EQ(times[k], burst * 10'000 * kUs + within * 100 * kUs) << k;
  }
}

class Records final : public IoObserver {
 public:
  void on_io(const IoRecord& record) override { list.push_back(record); }
  std::vector<std::int64_t> submitted() const {
    std::vector<std::int64_t> times;
    for (const IoRecord& each : list) {
      times.push_back(each.submitted.value());
    }
    return times;
  }
  std::vector<IoRecord> list;
};

Bench io_bench(Tick latency, const Assignments& more) {
  Bench bench{"io_pattern",
              {{"request_time", "0ns"}, {"software_time", "0ns"}, {"footprint", "1MiB"}}};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  bench.latency = fixed(latency);
  return bench;
}

Records records_of(AgentUnderTest& test) {
  Records records;
  test.agent->parts().io_meter->watch(records);
  EXPECT_TRUE(test.finish());
  return records;
}

TEST(OpenLoop, RequestsArriveWhetherOrNotOthersHaveCompleted) {
  for (const Tick latency : {kNanosecond * 100, kMicrosecond * 50}) {
    AgentUnderTest test(io_bench(
        latency,
        {{"arrivals", "fixed"}, {"arrival_rate", "1e6"}, {"requests", "9"}, {"threads", "2"}}));
    std::vector<std::int64_t> wanted;
    for (std::int64_t k = 0; k < 9; ++k) {
      wanted.push_back(k * kUs);
    }
    EXPECT_EQ(records_of(test).submitted(), wanted);
  }
}

// One thread, 10 us a request, an arrival each 1 us and two places: of 23 arrivals at 0, 1, ..., 22
// us, those at 0, 1, 2, 11 and 21 us find room. An arrival precedes a completion at the same time.
TEST(OpenLoop, AFullQueueDropsArrivalsAndCountsThem) {
  AgentUnderTest test(
      io_bench(kMicrosecond * 10,
               keys_from("arrivals=fixed arrival_rate=1e6 requests=23 queue=2 threads=1")));
  const Records records = records_of(test);
  EXPECT_EQ(records.submitted(), (std::vector<std::int64_t>{0, kUs, 2 * kUs, 11 * kUs, 21 * kUs}));
  EXPECT_EQ(records.list[2].done, kMicrosecond * 30);
  EXPECT_EQ(statistics_of(*test.agent).at("core.0.arrivals.offered"), 23);
  EXPECT_EQ(statistics_of(*test.agent).at("core.0.arrivals.dropped"), 18);
}

// Pollaczek and Khinchine: with Poisson arrivals, a constant service time S and a utilisation u,
// requests wait for u S / (2 (1 - u)) on average.
TEST(OpenLoop, WaitingFollowsQueueingTheory) {
  const Tick service = kMicrosecond * 10;
  for (const double utilisation : {0.3, 0.7}) {
    AgentUnderTest test(io_bench(service, {{"arrivals", "poisson"},
                                           {"arrival_rate", std::to_string(utilisation * 1e5)},
                                           {"requests", "60000"},
                                           {"size", "512B"},
                                           {"threads", "1"}}));
    double waited = 0;
    const Records records = records_of(test);
    for (const IoRecord& each : records.list) {
      waited += static_cast<double>((each.done - service - each.submitted).value());
    }
    const double wanted =
        utilisation * static_cast<double>(service.value()) / (2 * (1 - utilisation));
    EXPECT_NEAR(waited / static_cast<double>(records.list.size()), wanted, 0.05 * wanted);
  }
}

TEST(OpenLoop, WithoutAQueueAnArrivalNeedsAFreeThread) {
  AgentUnderTest test(
      io_bench(kMicrosecond * 10,
               keys_from("arrivals=fixed arrival_rate=1e6 requests=12 queue=0 threads=2")));
  EXPECT_EQ(records_of(test).submitted(), (std::vector<std::int64_t>{0, kUs, 11 * kUs}));
}

TEST(OpenLoop, ContradictionsAreRejected) {
  const std::vector<Assignments> wrong{
      {{"arrivals", "fixed"}},
      {{"arrivals", "bursty"}, {"arrival_rate", "5"}, {"burst_on", "0s"}},
      {{"arrivals", "bursty"}, {"arrival_rate", "1e9"}, {"burst_on", "1ns"}, {"burst_off", "1s"}},
      {{"arrivals", "poisson"}, {"arrival_rate", "5"}, {"think_time", "1us"}}};
  for (const Assignments& keys : wrong) {
    EXPECT_THROW(make_agent_of("io_pattern", keys), InputError);
  }
}

// One request takes 10 us. Threads think for 5 us after two requests.
TEST(ThinkTimes, AThreadWaitsAfterItsRequests) {
  AgentUnderTest test(
      io_bench(kMicrosecond * 10,
               {{"think_time", "5us"}, {"think_every", "2"}, {"requests", "6"}, {"threads", "1"}}));
  EXPECT_EQ(records_of(test).submitted(),
            (std::vector<std::int64_t>{0, 10 * kUs, 25 * kUs, 35 * kUs, 50 * kUs, 60 * kUs}));
}

TEST(ThinkTimes, CapTheQueueDepthAsInFio) {
  AgentUnderTest test(io_bench(
      kMicrosecond * 10, keys_from("think_time=5us think_every=2 depth=4 requests=5 threads=1")));
  EXPECT_EQ(records_of(test).submitted(),
            (std::vector<std::int64_t>{0, 0, 15 * kUs, 15 * kUs, 30 * kUs}));
}

TEST(BlockStart, AnAgentBeginsAtItsTime) {
  AgentUnderTest test(
      io_bench(kMicrosecond * 10, {{"start", "3ms"}, {"requests", "2"}, {"threads", "1"}}));
  EXPECT_EQ(records_of(test).submitted(), (std::vector<std::int64_t>{3'000 * kUs, 3'010 * kUs}));
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()), kMicrosecond * 20);
}

TEST(BlockStart, WritesMayForceUnitAccess) {
  AgentUnderTest test(io_bench(
      kMicrosecond, {{"fua", "true"}, {"read_share", "0"}, {"requests", "3"}, {"threads", "1"}}));
  records_of(test);
  const auto flushes = std::count_if(test.port.log.begin(), test.port.log.end(),
                                     [](const Sent& s) { return s.flush; });
  EXPECT_EQ(flushes, 3);
}

}  // namespace
}  // namespace hmsim::testing
