// SPDX-License-Identifier: BSD-3-Clause
// Do programs wait for storage as they do for an NVDIMM?
#include <gtest/gtest.h>

#include <string>

#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

// Moneta's device with software at no cost, so that a lone request takes the device's time
// (storage/array.h).
const Assignments kMoneta = keys_from(
    "nvdimm.present=false storage.kind=array storage.capacity=1GiB storage.memory.capacity=256MiB");

Job job(const std::string& program, const Assignments& keys = {}) {
  Job made{program, keys, kMoneta};
  return made;
}

// Returns the mean or max, in picoseconds, of a histogram in microseconds.
double latency(const Simulation& run, const std::string& path, const std::string& what) {
  const Statistic found = statistic_of(run.statistics(), path);
  for (const auto& [name, value] : found.summary) {
    if (name == what) {
      return value * 1e6;
    }
  }
  ADD_FAILURE() << path << " " << what;
  return 0;
}

TEST(JobOnStorage, AReaderWaitsUntilItsRequestsEnd) {
  std::string program = "thread main\n";
  for (int i = 0; i < 20; ++i) {
    program +=
        "compute 1000\nread " + std::to_string(37 * i) + " " + std::to_string(1 + i % 3) + "\n";
  }
  const auto done = run(job(program));
  EXPECT_EQ(value_of(*done, "storage.reads"), 20);
  EXPECT_EQ(value_of(*done, "storage.read_bytes"), (7 * 1 + 7 * 2 + 6 * 3) * 4096.0);
  EXPECT_NEAR(value_of(*done, "agent.0.time.reading"),
              20 * latency(*done, "storage.read_latency_us", "mean"), 20);
}

TEST(JobOnStorage, CoresLoadNoLines) {
  const auto done = run(job("thread main\nread 3 4\nwrite 9 2\nsync\n"));
  EXPECT_EQ(value_of(*done, "agent.0.progress"), 0);
  EXPECT_EQ(value_of(*done, "dram.reads") + value_of(*done, "dram.writes"), 0);
}

TEST(JobOnStorage, ASyncWaitsForWritesAndAFlush) {
  for (const char* flushers : {"0", "1"}) {
    const auto done = run(job("thread main\nwrite 9 2\nsync\n", {{"flushers", flushers}}));
    EXPECT_EQ(value_of(*done, "storage.writes"), 1);
    EXPECT_EQ(value_of(*done, "storage.flushes"), 1);
    const double write = latency(*done, "storage.write_latency_us", "mean");
    EXPECT_GE(value_of(*done, "agent.0.makespan_us") * 1e6, write);
    const double own = flushers == std::string("0") ? write : 0;  // otherwise the flusher waits
    EXPECT_EQ(value_of(*done, "agent.0.time.writing"), own);
    EXPECT_GT(value_of(*done, "agent.0.time.syncing"), 0);
    const auto without = run(job("thread main\nwrite 9 2\n", {{"flushers", flushers}}));
    EXPECT_EQ(value_of(*without, "storage.flushes"), 0);
    EXPECT_EQ(value_of(*without, "agent.0.time.syncing"), 0);
  }
}

TEST(JobOnStorage, AThreadWaitsForReadAheadAtItsFirstUse) {
  const std::string ahead = "thread main\nread_ahead 40 8\ncompute 2000\nuse 44\n";
  const auto done = run(job(ahead));
  EXPECT_EQ(value_of(*done, "agent.0.time.reading"), 0);
  const double computed = value_of(*done, "agent.0.time.running");
  const double read = latency(*done, "storage.read_latency_us", "mean");
  constexpr double kCycles = 1'000;  // two core cycles
  EXPECT_NEAR(value_of(*done, "agent.0.time.read_ahead"), read - computed, kCycles);
  const auto unused = run(job("thread main\nread_ahead 40 8\ncompute 2000\nuse 90\n"));
  EXPECT_EQ(value_of(*unused, "agent.0.time.read_ahead"), 0);
}

TEST(JobOnStorage, ATransferBeyondTheEndWrapsToTheStart) {
  const std::string last = std::to_string((std::int64_t{1} << 18) - 1);  // page of a GiB
  const auto done = run(job("thread main\nread " + last + " 3\n"));
  EXPECT_EQ(value_of(*done, "storage.reads"), 2);
  EXPECT_EQ(value_of(*done, "storage.read_bytes"), 3 * 4096.0);
  EXPECT_NEAR(value_of(*done, "agent.0.time.reading"),
              latency(*done, "storage.read_latency_us", "max"), 2);
}

// A thread that reads 20 pages and computes before each, and another thread.
std::string reader_and(const std::string& other) {
  std::string program = "thread main\n";
  for (int i = 0; i < 20; ++i) {
    program += "compute 20000\nread " + std::to_string(37 * i) + "\n";
  }
  return program + other;
}

Job on_cores(const std::string& program, const char* driver, const char* jobs,
             const char* cores = "0") {
  Job made = job(program, {{"cores", cores}, {"flushers", "0"}});
  made.config.insert(made.config.end(), {{"storage.path.driver", driver},
                                         {"storage.path.jobs", jobs},
                                         {"frontend.node.switch_time", "0ps"}});
  return made;
}

double makespan(const Simulation& run) { return value_of(run, "agent.0.makespan_us") * 1e6; }

// A lone thread sleeps while its software runs: the makespan is the same, but its core is busy.
TEST(JobOnStorage, SoftwareOfALoneThreadRunsOnItsCore) {
  for (const char* driver : {"moneta_base", "moneta_atomic", "moneta_spin", "haste"}) {
    const auto apart = run(on_cores(reader_and(""), driver, "own"));
    const auto on_node = run(on_cores(reader_and(""), driver, "node"));
    EXPECT_EQ(makespan(*on_node), makespan(*apart)) << driver;
    const double software = value_of(*on_node, "core.0.software");
    EXPECT_GT(software, 20 * 1e6) << driver;
    EXPECT_EQ(value_of(*on_node, "core.0.busy"), value_of(*apart, "core.0.busy") + software)
        << driver;
    EXPECT_EQ(value_of(*apart, "core.0.software"), 0) << driver;
  }
}

// A computing thread loses exactly the core time that software takes.
TEST(JobOnStorage, SoftwareTakesTimeFromThreads) {
  const std::string program = reader_and("thread other\ncompute 4000000\n");
  for (const char* driver : {"moneta_base", "moneta_spin", "haste"}) {
    const auto apart = run(on_cores(program, driver, "own"));
    const auto on_node = run(on_cores(program, driver, "node"));
    const double software = value_of(*on_node, "core.0.software");
    constexpr double kEdges = 50e3;  // picoseconds lost where slices are cut
    EXPECT_NEAR(makespan(*on_node), makespan(*apart) + software, kEdges) << driver;
    // With a core for each thread, no thread loses time.
    const auto both = run(on_cores(program, driver, "node", "0, 1"));
    EXPECT_EQ(makespan(*both), makespan(*run(on_cores(program, driver, "own", "0, 1")))) << driver;
  }
}

// A thread that spins keeps its core for the request's entire latency.
TEST(JobOnStorage, SpinningKeepsTheCore) {
  const auto done = run(on_cores(reader_and(""), "moneta_spin", "node"));
  EXPECT_EQ(value_of(*done, "core.0.software"), value_of(*done, "agent.0.time.reading"));
}

TEST(JobOnStorage, ASavedRunWithSoftwareOnCoresContinuesExactly) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const char* driver : {"moneta_base", "haste", "moneta_balance"}) {
      Job program = job(random_program(seed), {{"cores", "0, 1"}, {"flushers", "2"}});
      program.config.insert(program.config.end(), {{"storage.path.driver", driver},
                                                   {"storage.path.max_request", "4KiB"},
                                                   {"storage.path.file_system.time", "1us"},
                                                   {"storage.path.file_system.read_hold", "2us"}});
      SCOPED_TRACE(std::to_string(seed) + ", " + driver);
      expect_exact_continuation([&] { return make(program); }, 3'000, 4);
    }
  }
}

TEST(JobOnStorage, ASavedRunContinuesExactly) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const char* flushers : {"0", "2"}) {
      const Job program = job(random_program(seed), {{"cores", "0, 1"}, {"flushers", flushers}});
      SCOPED_TRACE(std::to_string(seed) + ", " + flushers);
      expect_exact_continuation([&] { return make(program); }, 1'000, 3);
    }
  }
}

TEST(JobOnStorage, UnsupportedCombinationsAreErrors) {
  Job nodes = job("thread main\nread 3\n", {{"nodes", "0, 1"}, {"cores", "0, 1"}, {"tasks", "2"}});
  nodes.config.emplace_back("frontend.nodes.count", "2");
  EXPECT_TRUE(names(error_of(nodes), {"agent.0.nodes: ", "storage", "one node"}));
}

}  // namespace
}  // namespace hmsim::testing
