// SPDX-License-Identifier: BSD-3-Clause
// Do generated block requests have the sizes, shares, locations and flushes given by their keys?
#include "agents/block/io_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr double kSigmas = 5;  // an interval exceeded by one in 1.7 million draws
constexpr std::int64_t kKib = 1024;

// Expects that `met` of `all` draws is plausible for an event of this probability.
void expect_binomial(double met, double all, double probability) {
  const double deviation = std::sqrt(all * probability * (1 - probability));
  EXPECT_NEAR(met, all * probability, kSigmas * deviation + 1) << probability;
}

// Checks Pearson's sum over all bins. Its mean is the degrees of freedom, and its variance twice
// that.
void expect_chi_squared(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  EXPECT_NEAR(sum, freedom, kSigmas * std::sqrt(2 * freedom));
}

// Returns the expected draws of each rank by Zipf's law.
std::vector<double> law(std::size_t ranks, double theta, double draws) {
  std::vector<double> expected;
  for (std::size_t k = 1; k <= ranks; ++k) {
    expected.push_back(std::pow(static_cast<double>(k), -theta));
  }
  const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (double& each : expected) {
    each *= draws / sum;
  }
  return expected;
}

std::vector<BlockRequest> generated(const IoPattern& pattern, std::int64_t threads,
                                    std::size_t count, std::uint64_t seed = 1) {
  IoGenerator generator(pattern, threads, seed, 0);
  std::vector<BlockRequest> requests(count);
  for (BlockRequest& each : requests) {
    EXPECT_TRUE(generator.next(each));
  }
  return requests;
}

TEST(Zipf, RanksFollowTheLaw) {
  constexpr int kDraws = 400'000;
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 1.2}) {
    SCOPED_TRACE(theta);
    constexpr std::size_t kRanks = 1'000;
    const Zipf zipf(kRanks, theta);
    Random random(7);
    std::vector<double> counts(kRanks);
    for (int i = 0; i < kDraws; ++i) {
      ++counts.at(zipf.draw(random));
    }
    const std::vector<double> expected = law(kRanks, theta, kDraws);
    expect_binomial(counts[0], kDraws, expected[0] / kDraws);
    expect_chi_squared(counts, expected);
  }
}

// Returns the sum of k^-theta for k up to n: term by term at first, then by the midpoint rule,
// whose error from m on is theta / 24 x m^(-theta-1).
double harmonic(double n, double theta) {
  constexpr double kTerms = 10'000;
  double sum = 0;
  for (double k = 1; k <= std::min(n, kTerms); ++k) {
    sum += std::pow(k, -theta);
  }
  const double power = 1 - theta;
  return n <= kTerms ? sum
                     : sum + (std::pow(n + 0.5, power) - std::pow(kTerms + 0.5, power)) / power;
}

TEST(Zipf, HasNoTableOfAllRanks) {
  constexpr int kDraws = 20'000;
  constexpr double kRanks = 0x1p40;
  for (const double theta : {0.6, 0.99, 1.1}) {
    const Zipf zipf(std::uint64_t{1} << 40, theta);
    Random random(8);
    std::map<double, double> below;
    for (int i = 0; i < kDraws; ++i) {
      const auto rank = static_cast<double>(zipf.draw(random));
      ASSERT_LT(rank, kRanks);
      for (const double bound : {1e2, 1e4, 1e6, 1e9}) {
        below[bound] += rank < bound ? 1 : 0;
      }
    }
    for (const auto& [bound, met] : below) {
      expect_binomial(met, kDraws, harmonic(bound, theta) / harmonic(kRanks, theta));
    }
  }
}

TEST(IoPattern, DrawsSizesAndReadsWithTheirShares) {
  IoPattern pattern;
  pattern.size = "4KiB/3, 64KiB, 512B/6";
  pattern.read_share = 0.7;
  pattern.footprint = Bytes(std::int64_t{1} << 30);
  constexpr std::size_t kRequests = 100'000;
  std::map<std::uint64_t, double> sizes;
  double reads = 0;
  for (const BlockRequest& each : generated(pattern, 4, kRequests)) {
    ++sizes[each.sectors];
    reads += each.write ? 0 : 1;
    EXPECT_FALSE(each.flush || each.trim || each.fua);
  }
  ASSERT_EQ(sizes.size(), 3u);
  expect_binomial(sizes[8], kRequests, 0.3);
  expect_binomial(sizes[128], kRequests, 0.1);
  expect_binomial(sizes[1], kRequests, 0.6);
  expect_binomial(reads, kRequests, 0.7);
}

TEST(IoPattern, DrawsTrimsWithTheirShare) {
  IoPattern pattern;
  pattern.read_share = 0.5;
  pattern.trim_share = 0.2;
  pattern.fua = true;
  pattern.footprint = Bytes(std::int64_t{1} << 30);
  constexpr std::size_t kRequests = 100'000;
  double reads = 0;
  double trims = 0;
  for (const BlockRequest& each : generated(pattern, 4, kRequests)) {
    reads += each.write || each.trim ? 0 : 1;
    trims += each.trim ? 1 : 0;
    EXPECT_FALSE(each.trim && (each.write || each.fua));
    EXPECT_EQ(each.sectors, 8u);
  }
  expect_binomial(reads, kRequests, 0.5);
  expect_binomial(trims, kRequests, 0.2);
  pattern.trim_share = 0.5;
  for (const BlockRequest& each : generated(pattern, 4, 1'000)) {
    EXPECT_FALSE(each.write);
  }
  pattern.trim_share = 0.6;
  const std::vector<ParameterError> errors = pattern.check(4);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].name, "trim_share");
  EXPECT_TRUE(names(errors[0].message, {"0.5", "0.6", "read_share"}));
}

// A lane's write follows the trim of its range. The writes are those of the same pattern without
// trims, in the same order.
TEST(IoPattern, AWriteMayFollowTheTrimOfItsRange) {
  for (const IoAccess access : {IoAccess::sequential, IoAccess::random, IoAccess::zipf}) {
    IoPattern pattern;
    pattern.size = "4KiB, 8KiB";
    pattern.read_share = 0.25;
    pattern.access = access;
    pattern.footprint = Bytes(1 << 20);
    pattern.flush_every = 3;
    const std::vector<BlockRequest> plain = generated(pattern, 1, 200);
    pattern.trim_writes = true;
    const std::vector<BlockRequest> pairs = generated(pattern, 1, 400);
    std::size_t at = 0;
    for (const BlockRequest& each : plain) {
      if (each.write) {
        const BlockRequest& trim = pairs[at++];
        EXPECT_TRUE(trim.trim && !trim.write);
        EXPECT_EQ(std::pair(trim.sector, trim.sectors), std::pair(each.sector, each.sectors));
      }
      const BlockRequest& same = pairs[at++];
      EXPECT_EQ(std::pair(same.sector, same.sectors), std::pair(each.sector, each.sectors));
      EXPECT_EQ(std::pair(same.write, same.flush), std::pair(each.write, each.flush));
      EXPECT_FALSE(same.trim);
    }
  }
}

TEST(IoPattern, RandomPlacesAreAlignedUniformAndInside) {
  IoPattern pattern;
  pattern.offset = Bytes(12 * kKib);
  pattern.footprint = Bytes(402 * kKib);  // 100 places of 4 KiB, and half of one
  constexpr std::size_t kRequests = 100'000;
  std::vector<double> counts(100);
  for (const BlockRequest& each : generated(pattern, 3, kRequests)) {
    ASSERT_EQ(each.sector % 8, 0u);
    ASSERT_GE(each.sector, 24u);
    ++counts.at((each.sector - 24) / 8);
  }
  expect_chi_squared(counts, std::vector<double>(100, kRequests / 100.0));
}

TEST(IoPattern, ZipfScattersItsPlaces) {
  IoPattern pattern;
  pattern.access = IoAccess::zipf;
  pattern.footprint = Bytes(2'000 * kKib);
  constexpr std::size_t kRequests = 200'000;
  std::vector<double> counts(500);
  for (const BlockRequest& each : generated(pattern, 1, kRequests)) {
    ++counts.at(each.sector / 8);
  }
  std::vector<double> sorted = counts;
  std::sort(sorted.rbegin(), sorted.rend());
  const std::vector<double> expected = law(500, 0.99, kRequests);
  for (const std::size_t rank : {0u, 1u, 2u}) {
    expect_binomial(sorted[rank], kRequests, expected[rank] / kRequests);
  }
  EXPECT_NE(counts, sorted);
}

// Sectors of 4 KiB requests that run sequentially through a region.
TEST(IoPattern, SequentialPlacesAreExact) {
  IoPattern pattern;
  pattern.access = IoAccess::sequential;
  pattern.offset = Bytes(8 * kKib);
  pattern.footprint = Bytes(31 * kKib);
  std::vector<std::uint64_t> one_stream;
  for (const BlockRequest& each : generated(pattern, 3, 10)) {
    one_stream.push_back(each.sector);
  }
  EXPECT_EQ(one_stream, (std::vector<std::uint64_t>{16, 24, 32, 40, 48, 56, 64, 16, 24, 32}));
  pattern.regions = IoRegions::per_thread;  // 10 KiB each, of which 8 KiB hold complete requests
  std::vector<std::uint64_t> own;
  for (const BlockRequest& each : generated(pattern, 3, 9)) {
    own.push_back(each.sector);
  }
  EXPECT_EQ(own, (std::vector<std::uint64_t>{16, 32, 48, 24, 40, 56, 16, 32, 48}));
}

TEST(IoPattern, ThreadsFlushAfterEveryNthOfTheirOwnWrites) {
  IoPattern pattern;
  pattern.read_share = 0;
  pattern.footprint = Bytes(std::int64_t{1} << 20);
  pattern.flush_every = 2;
  std::string kinds;
  for (const BlockRequest& each : generated(pattern, 3, 18)) {
    kinds += each.flush ? 'F' : each.write ? 'W' : 'R';
    EXPECT_EQ(each.sectors, each.flush ? 0u : 8u);
  }
  EXPECT_EQ(kinds, "WWWWWWFFFWWWWWWFFF");
}

TEST(IoPattern, SeedsGiveDifferentRequests) {
  IoPattern pattern;
  pattern.footprint = Bytes(std::int64_t{1} << 30);
  const auto sectors = [&pattern](std::uint64_t seed) {
    std::vector<std::uint64_t> list;
    for (const BlockRequest& each : generated(pattern, 1, 50, seed)) {
      list.push_back(each.sector);
    }
    return list;
  };
  EXPECT_EQ(sectors(1), sectors(1));
  EXPECT_NE(sectors(1), sectors(2));
}

Bench pattern_bench(Assignments keys) { return {"io_pattern", std::move(keys)}; }

// A request of one page takes 3 us of software and 8 us for its lines, which are sent at once. A
// thread runs the software of its requests one after another and keeps `depth` of them in flight.
// The time from a request to the `depth`-th after it is 11 us, or the software time of all between
// if that is longer.
TEST(IoPatternAgent, KeepsDepthRequestsOfEachThreadInFlight) {
  for (const std::int64_t depth : {1, 2, 4, 8}) {
    for (const std::int64_t threads : {1, 3}) {
      Bench bench = pattern_bench({{"threads", std::to_string(threads)},
                                   {"depth", std::to_string(depth)},
                                   {"footprint", "1GiB"},
                                   {"requests", "120"}});
      bench.latency = fixed(8 * kMicrosecond);
      AgentUnderTest test(bench);
      ASSERT_TRUE(test.finish());
      const std::int64_t round = std::max<std::int64_t>(11, 3 * depth);
      const std::int64_t last = (120 / threads / depth - 1) * round + 3 * depth + 8;
      EXPECT_EQ(test.kernel.now(), last * kMicrosecond);
      EXPECT_EQ(test.agent->progress(test.kernel.now()), 120);
      std::map<Tick, std::int64_t> lines;  // by time
      for (const Sent& sent : test.port.log) {
        ++lines[sent.time];
      }
      for (std::int64_t i = 0; i < depth; ++i) {
        EXPECT_EQ(lines[(i + 1) * 3 * kMicrosecond], threads * 64);
      }
    }
  }
}

TEST(IoPatternAgent, EachPassIsTheSame) {
  AgentUnderTest test(pattern_bench({{"requests", "10"}, {"threads", "1"}, {"access", "zipf"}}));
  ASSERT_TRUE(test.finish());
  test.kernel.run_until(test.kernel.now() * 2 + Tick(10));
  ASSERT_GE(test.port.log.size(), 1'280u);
  for (std::size_t i = 0; i < 640; ++i) {
    EXPECT_EQ(test.port.log[i].address, test.port.log[i + 640].address);
  }
}

TEST(IoPatternAgent, BoundsTheReadsThatItVisitsIfItHasNoEnd) {
  AgentUnderTest test(pattern_bench({{"footprint", "8KiB"}}));
  std::int64_t visits = 0;
  test.agent->each_page_read(false, [&visits](std::int64_t page) {
    EXPECT_LT(page, 2);
    ++visits;
    return true;
  });
  EXPECT_EQ(visits, 1 << 22);
}

std::string refusal(const Assignments& keys, Bytes capacity = Bytes(std::int64_t{1} << 30)) {
  return error_from([&] {
    Bench bench = pattern_bench(keys);
    bench.nvdimm = capacity;
    AgentUnderTest test(bench);
  });
}

TEST(IoPatternAgent, RejectsInvalidKeys) {
  const std::vector<std::pair<Assignments, std::vector<std::string>>> cases{
      {{{"footprint", "2KiB"}}, {"footprint: ", "2KiB", "4KiB"}},
      {{{"footprint", "12KiB"}, {"regions", "per_thread"}}, {"footprint: ", "12KiB", "16KiB"}},
      {{{"size", "700B"}}, {"size: ", "700B", "512B"}},
      {{{"size", "4KiB, 800B/2"}}, {"size: ", "800B", "1KiB"}},
      {{{"size", "0B"}}, {"size: ", "0B", "512B"}},
      {{{"size", "2GiB"}}, {"agent.0.size: ", "2GiB", "1GiB"}},
      {{{"size", "65TiB"}}, {"size: ", "65TiB", "64TiB"}},
      {{{"size", ""}}, {"size: ", "''"}},
      {{{"size", "4KiB,"}}, {}},
      {{{"size", "4KiB/0"}}, {"size: ", "'0'", "1000000"}},
      {{{"size", "4KiB/x"}}, {"size: ", "'x'", "1000000"}},
      {{{"size", "many"}}, {"size: ", "'many'"}},
      {{{"offset", "100B"}}, {"offset: ", "100B", "512B"}},
      {{{"read_share", "1.5"}}, {"read_share: "}},
      {{{"access", "randm"}}, {"access: ", "'random'?"}},
      {{{"depht", "2"}}, {"depht: ", "'depth'?"}},
      {{{"depth", "65536"}}, {"depth: ", "4 threads", "16384"}},
      {{{"footprint", "2GiB"}}, {"footprint: ", "1GiB"}},
      {{{"footprint", "1GiB"}, {"offset", "512MiB"}}, {"footprint: ", "512MiB"}},
      {{{"offset", "1GiB"}}, {"agent.0.offset: ", "1GiB"}},
      {{{"requests", "0"}}, {"requests: "}}};
  for (const auto& [keys, named] : cases) {
    const std::string found = refusal(keys);
    EXPECT_TRUE(names(found, named));
    EXPECT_EQ(found.empty(), named.empty()) << found;
  }
  EXPECT_TRUE(names(refusal({}, Bytes(0)), {"io_pattern", "NVDIMM"}));
}

}  // namespace
}  // namespace hmsim::testing
