// SPDX-License-Identifier: BSD-3-Clause
// Jobs on cores with stream prefetchers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

constexpr double kFirst = 70'853.75;  // nanoseconds, a line from flash (job_transfers_test.cc)

Assignments prefetch(int mshrs, int degree, int distance) {
  return {{"frontend.node.mshrs", std::to_string(mshrs)},
          {"frontend.node.prefetch.degree", std::to_string(degree)},
          {"frontend.node.prefetch.distance", std::to_string(distance)},
          {"dram.refresh", "false"}};
}

using Reads = std::multiset<std::pair<MemoryClass, std::int64_t>>;

struct Logged {
  double makespan_ns = 0;
  double issued = 0;
  double useful = 0;
  double late = 0;
  double useless = 0;
  RequestLog::Columns requests;  // completed requests
  Reads reads;                   // completed and in-flight reads
};

Logged logged(const Job& job) {
  Assignments config = with(kSmall, job.config);
  Assignments keys =
      with({{"kind", "job"}, {"path", "x.job"}, {"format", "job"}, {"flushers", "0"}}, job.keys);
  RunOptions options;
  options.log_requests = true;
  Simulation simulation(config, {keys}, options, text_source(job.program));
  run_to_end(simulation);
  Logged result;
  result.makespan_ns = value_of(simulation, "agent.0.makespan_us") * 1e3;
  for (const Statistic& each : simulation.statistics()) {
    const auto count = static_cast<double>(each.count);
    result.issued += each.path == "core.0.prefetch.issued" ? count : 0;
    result.useful += each.path == "core.0.prefetch.useful" ? count : 0;
    result.late += each.path == "core.0.prefetch.late" ? count : 0;
    result.useless += each.path == "core.0.prefetch.useless" ? count : 0;
  }
  result.requests = simulation.request_log()->take();
  for (std::size_t i = 0; i < result.requests.front().size(); ++i) {
    if (column_of(result.requests, "write")[i] == 0) {
      result.reads.emplace(static_cast<MemoryClass>(column_of(result.requests, "class")[i]),
                           column_of(result.requests, "address")[i]);
    }
  }
  for (const Requester::Outstanding& each : simulation.memory().outstanding()) {
    if (!each.request.write) {
      result.reads.emplace(each.request.memory, each.request.address.value());
    }
  }
  return result;
}

// One load in flight, and d lines ahead of it, prefetched one by one as the misses continue. The
// first three lines arrive on demand, one round of 75 ns apart. With the third, the d lines after
// it are prefetched; they arrive 6.25 ns apart. From then on each line is requested when the line d
// + 1 before it has arrived, and arrives one round later. The total is
//   first + 2 x 75 ns + floor(61 / (d + 1)) x 75 ns + (61 mod (d + 1)) x 6.25 ns
TEST(JobPrefetch, APageArrivesAsFastAsLinesInFlightAllow) {
  for (const char* buffer : {"none", "resident"}) {
    const double first = buffer == std::string("none") ? kFirst : 73.75;
    for (const int ahead : {1, 2, 3, 4, 6, 8, 10}) {
      Assignments config = prefetch(1, ahead, ahead);
      config.emplace_back("nvdimm.precondition.buffer", buffer);
      const double ns = makespan_ns({"thread reader\nread 7\n", {}, config});
      const int lines = ahead + 1;
      EXPECT_NEAR(ns, first + 2 * 75 + 61 / lines * 75 + 61 % lines * 6.25, 25) << buffer << ahead;
    }
  }
}

// Before the first line arrives from flash, a core with M loads in flight has missed M lines, and
// each from the third on has prefetched D more: lines 0 to 2 + (M - 2) D. Limits: d lines beyond
// the last miss, the prefetcher's MSHRs, and the end of the page.
TEST(JobPrefetch, LinesInFlightAreThoseOfTheFormula) {
  struct Case {
    int mshrs, degree, distance, own;  // own: the prefetcher's MSHRs, and buffers
  };
  for (const Case& each :
       {Case{10, 2, 20, 48}, Case{10, 0, 20, 48}, Case{10, 1, 20, 48}, Case{10, 4, 20, 48},
        Case{10, 4, 63, 48}, Case{10, 8, 63, 48}, Case{10, 8, 63, 5}, Case{2, 8, 63, 48},
        Case{3, 8, 63, 48}, Case{48, 2, 20, 48}, Case{10, 8, 63, 1'000}}) {
    Assignments config = prefetch(each.mshrs, each.degree, each.distance);
    config.emplace_back("frontend.node.prefetch.mshrs", std::to_string(each.own));
    config.emplace_back("frontend.node.prefetch.buffers", std::to_string(each.own));
    const Logged page = logged({"thread reader\nread 7\n", {}, config});
    const std::vector<std::int64_t>& arrival = column_of(page.requests, "arrival_ps");
    const std::int64_t begin = *std::min_element(arrival.begin(), arrival.end());
    const auto sent = std::count_if(arrival.begin(), arrival.end(), [&](std::int64_t time) {
      return time < begin + 10 * kMicrosecond.value();
    });
    const int misses = each.mshrs;
    int last = misses - 1;
    if (misses >= 3 && each.degree > 0) {
      last = std::min({2 + (misses - 2) * each.degree, misses - 1 + each.distance, 63});
      last = std::max(misses - 1, std::min(last, 2 + each.own));
    }
    EXPECT_EQ(sent, last + 1) << each.mshrs << " " << each.degree << " " << each.distance << " "
                              << each.own;
  }
}

// The prefetching machine keeps more lines in flight than arrive within an ack round trip, so the
// bus limits its rate.
TEST(JobPrefetch, TheMachineReadsAsFastAsTheBusAllows) {
  const Assignments table3{{"frontend.node.machine", "table3"}, {"dram.refresh", "false"}};
  const Assignments machine{{"frontend.node.machine", "prefetch"}, {"dram.refresh", "false"}};
  const double with = makespan_ns({"thread reader\nread 7\n", {}, machine});
  const double without = makespan_ns({"thread reader\nread 7\n", {}, table3});
  EXPECT_GE(with, kFirst + 63 * 5);
  EXPECT_LE(with, kFirst + 63 * 6.25);
  EXPECT_NEAR(without, kFirst + 6 * 75 + 3 * 6.25, 25);
}

// The prefetcher issues nothing for misses without a stream, and does not change their times.
TEST(JobPrefetch, RandomMissesCauseNoPrefetches) {
  Random random(7);
  std::string program = "thread a\n";
  for (int i = 0; i < 4'000; ++i) {
    const std::uint64_t line = random.below(1 << 18);
    program += (random.below(4) == 0 ? "store " : "load ") + std::to_string(line * 64) + "\n";
    if (i % 100 == 0) {
      program += "compute " + std::to_string(random.below(900) + 1) + "\n";
    }
  }
  const Logged off = logged({program, {}, prefetch(10, 0, 20)});
  const Logged on = logged({program, {}, prefetch(10, 8, 63)});
  EXPECT_EQ(on.issued, 0);
  EXPECT_EQ(on.requests, off.requests);
}

std::string mixed_streams(std::uint64_t seed) {
  Random random(seed);
  std::string program = "thread a\n";
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t page = random.below(3'000);
    const std::uint64_t lines = 1 + random.below(64);
    const bool down = random.below(2) == 0;
    for (std::uint64_t k = 0; k < lines; ++k) {
      const std::uint64_t line = page * 64 + (down ? 63 - k : k);
      program += "load " + std::to_string(line * 64) + "\n";
      if (random.below(20) == 0) {
        program += "store " + std::to_string((line ^ random.below(8)) * 64) + "\n";
      }
    }
    if (random.below(10) == 0) {
      program += "read " + std::to_string(random.below(1'000)) + "\n";
    }
    if (random.below(10) == 0) {
      program += "write " + std::to_string(random.below(1'000)) + "\n";
    }
  }
  return program;
}

// Every load is either sent or takes a prefetched line. Every other prefetched line was discarded
// or is still held.
TEST(JobPrefetch, TheSameLoadsAreServedAndEveryPrefetchIsAccountedFor) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const int buffers : {4, 48}) {
      const std::string program = mixed_streams(seed);
      Assignments config = prefetch(6, 3, 12);
      config.emplace_back("frontend.node.prefetch.buffers", std::to_string(buffers));
      config.emplace_back("frontend.node.prefetch.streams", "4");
      config.emplace_back("frontend.core.window", "512");
      Assignments off_config = config;
      off_config.emplace_back("frontend.node.prefetch.degree", "0");
      const Logged on = logged({program, {}, config});
      const Logged off = logged({program, {}, off_config});
      Reads ahead = on.reads;
      for (const auto& load : off.reads) {
        const auto found = ahead.find(load);
        ASSERT_NE(found, ahead.end()) << load.second;
        ahead.erase(found);
      }
      const double held = on.issued - on.useful - on.useless;
      EXPECT_GE(held, 0);
      EXPECT_LE(held, buffers);
      EXPECT_EQ(static_cast<double>(ahead.size()), on.useless + held);
      EXPECT_LE(on.late, on.useful);
      EXPECT_GT(on.useful, 1'000);
      EXPECT_GT(on.useless, 0);
    }
  }
}

// One core prefetches lines. Another stores to some of them while they are in flight or held. The
// first core's loads of exactly these lines go to memory, after the stores.
TEST(JobPrefetch, NoLoadTakesALineThatAnotherCoreHasStoredTo) {
  for (const char* pause : {"1ns", "1us"}) {
    std::string program = "thread reader\n";
    const auto access = [&program](const char* what, int first, int end) {
      for (int line = first; line < end; ++line) {
        program += what + std::to_string(line * 64) + "\n";
      }
    };
    access("load ", 0, 4);
    program += "wake store\nwait stored\n";
    access("load ", 4, 11);
    program += "sleep 10us\n";  // until the stores are done
    program += "thread writer\nwait store\nsleep " + std::string(pause) + "\n";
    access("store ", 5, 9);
    program += "wake stored\n";
    const Logged run = logged({program, {{"cores", "0-1"}}, prefetch(10, 4, 20)});
    std::vector<std::int64_t> stored(16);
    std::vector<int> loaded_behind(16);
    for (const bool stores : {true, false}) {
      for (std::size_t i = 0; i < run.requests.front().size(); ++i) {
        const auto line = static_cast<std::size_t>(column_of(run.requests, "address")[i] / 64);
        const std::int64_t arrival = column_of(run.requests, "arrival_ps")[i];
        if (line >= stored.size() || (column_of(run.requests, "write")[i] == 1) != stores) {
          continue;
        }
        if (stores) {
          stored[line] = arrival;
        } else {
          loaded_behind[line] += stored[line] > 0 && arrival > stored[line] ? 1 : 0;
        }
      }
    }
    for (std::size_t line = 4; line < 11; ++line) {
      const bool old = line >= 5 && line < 9;
      EXPECT_EQ(stored[line] > 0, old) << line;
      EXPECT_EQ(loaded_behind[line], old ? 1 : 0) << pause << line;
    }
    EXPECT_EQ(run.useless, 4);
  }
}

// One node copies a page. Another node with the same memory writes to it while lines prefetched by
// the first are in flight: these are requested again. Writes to another page cause no second
// request.
TEST(JobPrefetch, NoLoadTakesALineThatAnotherNodeHasStoredTo) {
  const auto reads_beside = [](const std::string& page, const char* memory) {
    Assignments config = kSmall;
    const Assignments more = prefetch(10, 4, 20);
    config.insert(config.end(), more.begin(), more.end());
    config.emplace_back("frontend.nodes.count", "2");
    config.emplace_back("frontend.nodes.memory", memory);
    const auto keys = [](const char* node) {
      return Assignments{{"kind", "job"},   {"path", "x.job"}, {"format", "job"},
                         {"flushers", "0"}, {"nodes", node},   {"cores", node}};
    };
    const std::string writer = "thread writer\nsleep 10us\nwrite " + page + "\n";
    const std::string reader = "thread reader\nread 5\n";
    Simulation simulation(config, {keys("0"), keys("1")}, RunOptions(),
                          [&](std::size_t agent, std::uint64_t offset) {
                            const std::string& text = agent == 0 ? reader : writer;
                            return offset < text.size() ? text.substr(offset) : std::string();
                          });
    run_to_end(simulation);
    return value_of(simulation, "nvdimm.reads");
  };
  EXPECT_EQ(reads_beside("9", "shared"), 64);
  EXPECT_GT(reads_beside("5", "shared"), 64 + 4);
  EXPECT_EQ(reads_beside("5", "own"), 64);
}

// A line prefetched during the warm-up, and used or discarded after it, counts as issued after the
// warm-up. Hence issued = useful + useless.
TEST(JobPrefetch, PrefetchesAddUpAfterAWarmUp) {
  const auto count_of = [](const Simulation& simulation, const char* name) {
    return static_cast<std::int64_t>(value_of(simulation, std::string("core.0.prefetch.") + name));
  };
  int more = 0;  // cuts after which more lines are used than prefetched
  for (int warm_up = 1; warm_up < 2'000; warm_up += 67) {
    std::string program = "thread a\n";
    for (int line = 0; line < 640; ++line) {
      program += "load " + std::to_string(line * 64) + "\n";
    }
    Assignments config = kSmall;
    for (const auto& key : prefetch(4, 4, 20)) {
      config.push_back(key);
    }
    RunOptions options;
    options.warmup = warm_up * kNanosecond;
    Simulation simulation(config, {{{"kind", "job"}, {"path", "x.job"}, {"format", "job"}}},
                          options, text_source(program));
    run_to_end(simulation);
    const std::int64_t useful = count_of(simulation, "useful");
    EXPECT_EQ(count_of(simulation, "issued"), useful) << warm_up;
    EXPECT_EQ(count_of(simulation, "useless"), 0);
    more += useful % 61 == 0 ? 0 : 1;
  }
  EXPECT_GT(more, 10);
}

// A stream of DRAM lines is prefetched in the same way as one of NVDIMM lines.
TEST(JobPrefetch, DramIsReadAhead) {
  std::string program = "thread a\n";
  for (int line = 0; line < 640; ++line) {
    program += "load " + std::to_string(line * 64) + "\n";
  }
  const Logged off = logged({program, {}, prefetch(1, 0, 20)});
  const Logged on = logged({program, {}, prefetch(1, 2, 20)});
  EXPECT_EQ(on.issued, 10 * 61);
  EXPECT_EQ(on.useful, on.issued);
  EXPECT_LT(on.makespan_ns, off.makespan_ns / 3);
}

TEST(JobPrefetch, ARunMayBeCutAnywhere) {
  const Job job{mixed_streams(9),
                {{"cores", "0-1"}},
                {{"frontend.node.machine", "prefetch"}, {"frontend.core.window", "512"}}};
  expect_exact_continuation([&] { return make(job); }, 100'000, 5);
}

}  // namespace
}  // namespace hmsim::testing
