// SPDX-License-Identifier: BSD-3-Clause
// TCM against hand-computed clusters, and the shuffle sequence of its specification.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

constexpr Tick kQuantum = 500 * kMicrosecond;
constexpr Tick kInterval = 400 * kNanosecond;

const Assignments kCores{{"policies.tcm.sources", "core"}};

// Returns the sources in the order of their probes, lowest rank first.
std::vector<std::uint32_t> ranking(const Rehearsal& queue,
                                   const std::vector<std::uint32_t>& probes) {
  std::vector<std::uint32_t> sources;
  for (const std::uint32_t number : queue.order()) {
    const auto found = std::find(probes.begin(), probes.end(), number);
    if (found != probes.end()) {
      sources.push_back(static_cast<std::uint32_t>(found - probes.begin()));
    }
  }
  std::reverse(sources.begin(), sources.end());
  return sources;
}

// Serves row misses of each core. Leaves one request of each core, its probe, in the queue.
template <std::size_t N>
std::vector<std::uint32_t> serve(Rehearsal& queue, const std::array<int, N>& misses,
                                 const std::array<std::int64_t, N>& instructions) {
  for (std::size_t core = 0; core < N; ++core) {
    for (int i = 0; i < misses[core]; ++i) {
      queue.issue(queue.enqueue(dram(static_cast<std::uint16_t>(core), 0, 0)), false);
    }
    queue.retire(static_cast<std::uint16_t>(core), instructions[core]);
  }
  std::vector<std::uint32_t> probes;
  for (std::size_t core = 0; core < N; ++core) {
    probes.push_back(queue.enqueue(dram(static_cast<std::uint16_t>(core), 0, 0)));
  }
  return probes;
}

// A source that first appears during a quantum has the lowest rank until the next quantum.
TEST(Tcm, AnUnseenSourceHasTheLowestRank) {
  Rehearsal queue("tcm", kCores, kShape);
  const auto probes = serve(queue, std::array{40, 12, 4, 44},
                            std::array<std::int64_t, 4>{1'025, 1'300, 2'000, 2'250});
  queue.run_to(kQuantum);
  std::uint64_t lowest = queue.key(probes[0]);
  for (const std::uint32_t probe : probes) {
    lowest = std::min(lowest, queue.key(probe));
  }
  EXPECT_EQ(queue.key(queue.enqueue(dram(9, 0, 0))), lowest);
}

TEST(Tcm, TheLeastIntensiveSourcesUpToAShareOfServiceGoFirst) {
  Rehearsal queue("tcm", kCores, kShape);
  // MPKI is about 40, 10, 2.5, 20. Cores 2 and 1, with 4 + 12 = 16 of 100 misses, fit under 4/24.
  // Core 3 with 44 does not.
  const auto probes = serve(queue, std::array{40, 12, 4, 44},
                            std::array<std::int64_t, 4>{1'025, 1'300, 2'000, 2'250});
  EXPECT_EQ(queue.order(), probes);  // no measurements yet: in order of arrival
  queue.run_to(kQuantum);
  const auto ranks = ranking(queue, probes);
  EXPECT_EQ(ranks[3], 2U);
  EXPECT_EQ(ranks[2], 1U);
}

TEST(Tcm, TheFirstSourceThatOverflowsAndAllAfterItMakeTheOtherCluster) {
  Rehearsal queue("tcm", kCores, kShape);
  // By MPKI: core 2 (10 %), core 1 (60 %: overflows), core 0 (30 %).
  const auto probes =
      serve(queue, std::array{30, 60, 10}, std::array<std::int64_t, 3>{100, 1'000, 1'000});
  queue.run_to(kQuantum);
  EXPECT_EQ(ranking(queue, probes)[2], 2U);
  bool turned = false;  // only two take turns, and core 2 stays on top
  for (int i = 1; i < 20; ++i) {
    const auto before = ranking(queue, probes);
    queue.run_to(kQuantum + i * kInterval);
    EXPECT_EQ(ranking(queue, probes)[2], 2U);
    turned = turned || ranking(queue, probes) != before;
  }
  EXPECT_TRUE(turned);
}

// Two sources with half of the service each. The less intensive source fits under a threshold of
// one half. Under a lower threshold both sources take turns.
TEST(Tcm, ASourceWithExactlyTheThresholdFits) {
  for (const bool fits : {false, true}) {
    Assignments assignments = kCores;
    assignments.emplace_back("policies.tcm.cluster_threshold", fits ? "0.5" : "0.495");
    Rehearsal queue("tcm", assignments, kShape);
    const auto probes = serve(queue, std::array{1, 1}, std::array<std::int64_t, 2>{2'000, 1'000});
    std::set<std::uint32_t> on_top;
    for (int i = 0; i < 20; ++i) {
      queue.run_to(kQuantum + i * kInterval);
      on_top.insert(ranking(queue, probes).back());
    }
    EXPECT_EQ(on_top, fits ? std::set<std::uint32_t>{0} : (std::set<std::uint32_t>{0, 1}));
  }
}

// With `bank`, the NVDIMM's service includes an entire flash read. It exceeds the threshold, so the
// latency cluster is empty.
TEST(Tcm, NvdimmServiceCountsBusCyclesByDefault) {
  for (const bool bank : {false, true}) {
    Rehearsal queue("tcm", {{"policies.tcm.nvdimm_service", bank ? "bank" : "bus"}}, kShape);
    const std::uint32_t flash = queue.enqueue(nvdimm(0, 0, 0));
    queue.command(flash);
    for (int i = 0; i < 10; ++i) {
      queue.issue(queue.enqueue(dram(0, 0, 0)), false);
    }
    queue.retire(0, 1000);
    queue.run_to(70 * kMicrosecond);
    queue.issue(flash, false);
    queue.complete(flash);
    const std::uint32_t late = queue.enqueue(nvdimm(0, 0, 0));
    const std::uint32_t probe = queue.enqueue(dram(0, 0, 0));
    // The NVDIMM is the less intensive source (2 requests against 11) and has 4 cycles of service
    // or 56,000; DRAM has 260.
    queue.run_to(kQuantum);
    EXPECT_GT(queue.key(late), queue.key(probe)) << bank;
    std::set<bool> dram_on_top;
    for (int i = 1; i < 20; ++i) {
      queue.run_to(kQuantum + i * kInterval);
      dram_on_top.insert(queue.key(probe) > queue.key(late));
    }
    // bus: the NVDIMM alone has low service and ranks above DRAM. bank: both take turns.
    EXPECT_EQ(dram_on_top.size(), bank ? 2U : 1U);
  }
}

// The NVDIMM's service of 10 cycles fits under the threshold, a sixth of all service. With 400,000
// cycles it would not, and both sources would take turns.
TEST(Tcm, ABankIsBusyUntilItsRequestIsComplete) {
  Rehearsal queue("tcm", {{"policies.tcm.nvdimm_service", "bank"}}, kShape);
  const std::uint32_t flash = queue.enqueue(nvdimm(0, 0, 0));
  queue.command(flash);
  queue.ack(flash);
  queue.issue(flash, false);
  queue.run_to(kShape.clock_period * 10);
  queue.complete(flash);
  for (int i = 0; i < 10; ++i) {
    queue.issue(queue.enqueue(dram(0, 0, 0)), false);
  }
  queue.retire(0, 1000);
  const std::uint32_t probe = queue.enqueue(dram(0, 0, 0));
  const std::uint32_t late = queue.enqueue(nvdimm(0, 0, 0));
  for (int i = 0; i < 20; ++i) {
    queue.run_to(kQuantum + i * kInterval);
    EXPECT_GT(queue.key(late), queue.key(probe)) << i;
  }
}

// Each core issues `requests`, of which the given number hit a row. The cores wait at 1, 3, 5 and 7
// banks. Returns a waiting request of each.
std::vector<std::uint32_t> probes_of(Rehearsal& queue, int requests, const std::vector<int>& hits) {
  std::vector<std::uint32_t> probes;
  for (std::uint16_t core = 0; core < hits.size(); ++core) {
    for (int i = 0; i < requests; ++i) {
      queue.issue(queue.enqueue(dram(core, 0, i <= hits[core] ? 0 : i)), false);
    }
    for (int bank = 1; bank <= 2 * core + 1; ++bank) {
      queue.enqueue(dram(core, bank, 0));
    }
    probes.push_back(queue.enqueue(dram(core, 1, 0)));
  }
  return probes;
}

// Core 0 has the least parallelism and the most locality, core 3 the opposite.
std::vector<std::uint32_t> niceness_order(Rehearsal& queue) {
  return probes_of(queue, 8, {7, 5, 3, 1});
}

std::size_t rankings_of(Rehearsal& queue, const std::vector<std::uint32_t>& probes) {
  queue.run_to(kQuantum);
  std::set<std::vector<std::uint32_t>> seen;
  for (int k = 1; k <= 240; ++k) {
    queue.run_to(kQuantum + k * kInterval);
    seen.insert(ranking(queue, probes));
  }
  return seen.size();
}

// Core 1 has the least locality and core 2 the most, core 0 the least parallelism and core 2 the
// most: their ranks differ by -1 (core 0), 1 (core 1) and 0 (core 2).
TEST(Tcm, NicenessIsParallelismLessLocality) {
  Rehearsal queue("tcm", kCores, kShape);
  const auto probes = probes_of(queue, 8, {4, 0, 7});
  queue.run_to(kQuantum);
  EXPECT_EQ(ranking(queue, probes), (std::vector<std::uint32_t>{0, 2, 1}));
}

// Returns the number of distinct rankings of four sources with 10 requests each. The first source
// has `hits` row hits, each other one `of_others`. Insertion shuffle cycles through a few rankings;
// random shuffle reaches all 24.
std::size_t rankings(const char* threshold, int hits, int of_others = 0) {
  Assignments assignments = kCores;
  assignments.emplace_back("policies.tcm.shuffle_threshold", threshold);
  Rehearsal queue("tcm", assignments, kShape);
  return rankings_of(queue, probes_of(queue, 10, {hits, of_others, of_others, of_others}));
}

TEST(Tcm, SourcesWithLocalitiesWithinTheThresholdAreEqual) {
  EXPECT_LT(rankings("0.099", 1), 10u);
  EXPECT_EQ(rankings("0.1", 1), 24u);
  EXPECT_EQ(rankings("0.1", 5, 5), 24u) << "however much they have";
}

// Parallelism differs by 6 of 16 banks.
TEST(Tcm, SourcesWithParallelismWithinTheThresholdAreEqual) {
  EXPECT_EQ(kShape.banks(), 16);
  EXPECT_LT(rankings("0.374", 5), 10u);
  EXPECT_EQ(rankings("0.375", 5), 24u);
}

TEST(Tcm, InsertionShuffleFollowsTheSequenceOfFourSources) {
  Rehearsal queue("tcm", kCores, kShape);
  const auto probes = niceness_order(queue);
  queue.run_to(kQuantum);
  using Ranks = std::vector<std::uint32_t>;
  const std::vector<Ranks> expected{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 3, 2, 1},
                                    {3, 2, 1, 0}, {3, 2, 1, 0}, {0, 3, 2, 1}, {0, 1, 3, 2},
                                    {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 3, 2}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    queue.run_to(kQuantum + static_cast<std::int64_t>(k) * kInterval);
    EXPECT_EQ(ranking(queue, probes), expected[k]) << "after " << k << " shuffles";
  }
}

TEST(Tcm, EqualSourcesAreShuffledAtRandom) {
  Assignments assignments = kCores;
  assignments.emplace_back("policies.tcm.shuffle_threshold", "1");
  Rehearsal queue("tcm", assignments, kShape);
  // Probability that a permutation never occurs: 24 (23/24)^240.
  EXPECT_EQ(rankings_of(queue, niceness_order(queue)), 24U);
}

TEST(Tcm, RankGoesBeforeRowHits) {
  Rehearsal queue("tcm", kCores, kShape);
  const auto probes = niceness_order(queue);
  queue.run_to(kQuantum);
  RequestView hit = dram(0, 1, 0);
  hit.row_hit = true;
  const std::uint32_t late = queue.enqueue(hit);
  const auto order = queue.order();
  const auto place = [&order](std::uint32_t number) {
    return std::find(order.begin(), order.end(), number) - order.begin();
  };
  EXPECT_LT(place(probes[1]), place(late));
  EXPECT_LT(place(late), place(probes[0]));
  const std::uint32_t later_still = queue.enqueue(dram(1, 1, 0));
  EXPECT_GT(queue.key(later_still), queue.key(late)) << "of the next rank, and younger";
}

}  // namespace
}  // namespace hmsim::testing
