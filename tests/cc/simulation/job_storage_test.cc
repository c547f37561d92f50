// SPDX-License-Identifier: BSD-3-Clause
// Do programs wait for storage as they wait for an NVDIMM?
#include <gtest/gtest.h>

#include <string>

#include "tests/cc/simulation/job_rig.h"

namespace hmsim::testing {
namespace {

// Moneta's device under software that costs nothing, so that a lone request takes what the device
// takes (storage/array.h).
const Assignments kMoneta{{"nvdimm.present", "false"},
                          {"storage.kind", "array"},
                          {"storage.capacity", "1GiB"},
                          {"storage.memory.capacity", "256MiB"}};

Job job(const std::string& program, const Assignments& keys = {}) {
  Job made{program, keys, kMoneta};
  return made;
}

double value(const Simulation& run, const std::string& name) { return value_of(run, name); }

// Of a histogram in microseconds, in picoseconds: its mean, or max.
double latency(const Simulation& run, const std::string& path, const std::string& what) {
  for (const Statistic& statistic : run.statistics()) {
    for (const auto& [name, value] : statistic.summary) {
      if (statistic.path == path && name == what) {
        return value * 1e6;
      }
    }
  }
  ADD_FAILURE() << path << " " << what;
  return 0;
}

TEST(JobOnStorage, AReaderWaitsAsLongAsItsRequestsTake) {
  std::string program = "thread main\n";
  for (int i = 0; i < 20; ++i) {
    program +=
        "compute 1000\nread " + std::to_string(37 * i) + " " + std::to_string(1 + i % 3) + "\n";
  }
  const auto done = run(job(program));
  EXPECT_EQ(value(*done, "storage.reads"), 20);
  EXPECT_EQ(value(*done, "storage.read_bytes"), (7 * 1 + 7 * 2 + 6 * 3) * 4096.0);
  EXPECT_NEAR(value(*done, "agent.0.time.reading"),
              20 * latency(*done, "storage.read_latency_us", "mean"), 20);
}

TEST(JobOnStorage, CoresLoadNoLines) {
  const auto done = run(job("thread main\nread 3 4\nwrite 9 2\nsync\n"));
  EXPECT_EQ(value(*done, "agent.0.progress"), 0);
  EXPECT_EQ(value(*done, "dram.reads") + value(*done, "dram.writes"), 0);
}

TEST(JobOnStorage, ASyncWaitsForWritesAndAFlush) {
  for (const char* flushers : {"0", "1"}) {
    const auto done = run(job("thread main\nwrite 9 2\nsync\n", {{"flushers", flushers}}));
    EXPECT_EQ(value(*done, "storage.writes"), 1);
    EXPECT_EQ(value(*done, "storage.flushes"), 1);
    const double write = latency(*done, "storage.write_latency_us", "mean");
    EXPECT_GE(value(*done, "agent.0.makespan_us") * 1e6, write);
    const double own = flushers == std::string("0") ? write : 0;  // else the flusher waits
    EXPECT_EQ(value(*done, "agent.0.time.writing"), own);
    EXPECT_GT(value(*done, "agent.0.time.syncing"), 0);
    const auto without = run(job("thread main\nwrite 9 2\n", {{"flushers", flushers}}));
    EXPECT_EQ(value(*without, "storage.flushes"), 0);
    EXPECT_EQ(value(*without, "agent.0.time.syncing"), 0);
  }
}

TEST(JobOnStorage, AReadAheadIsWaitedForWhereItIsUsed) {
  const std::string ahead = "thread main\nread_ahead 40 8\ncompute 2000\nuse 44\n";
  const auto done = run(job(ahead));
  EXPECT_EQ(value(*done, "agent.0.time.reading"), 0);
  const double computed = value(*done, "agent.0.time.running");
  const double read = latency(*done, "storage.read_latency_us", "mean");
  constexpr double kCycles = 1'000;  // two of the core's
  EXPECT_NEAR(value(*done, "agent.0.time.read_ahead"), read - computed, kCycles);
  const auto unused = run(job("thread main\nread_ahead 40 8\ncompute 2000\nuse 90\n"));
  EXPECT_EQ(value(*unused, "agent.0.time.read_ahead"), 0);
}

TEST(JobOnStorage, ATransferGoesOnAtTheStart) {
  const std::string last = std::to_string((std::int64_t{1} << 18) - 1);  // page of a GiB
  const auto done = run(job("thread main\nread " + last + " 3\n"));
  EXPECT_EQ(value(*done, "storage.reads"), 2);
  EXPECT_EQ(value(*done, "storage.read_bytes"), 3 * 4096.0);
  EXPECT_NEAR(value(*done, "agent.0.time.reading"),
              latency(*done, "storage.read_latency_us", "max"), 2);
}

TEST(JobOnStorage, ASavedRunIsTheRunThatWentOn) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const char* flushers : {"0", "2"}) {
      const Job program = job(random_program(seed), {{"cores", "0, 1"}, {"flushers", flushers}});
      const auto whole = run(program);
      for (std::uint64_t steps = 1; steps < 1'000; steps = steps * 3 + 1) {
        const auto first = make(program);
        first->run(steps);
        const auto second = make(program);
        second->load(first->save(), "a.ckpt");
        while (!second->run(1'000'000)) {
        }
        ASSERT_EQ(whole->save(), second->save()) << seed << flushers << steps;
      }
    }
  }
}

TEST(JobOnStorage, WhatItCannotDoIsAnError) {
  Job nodes = job("thread main\nread 3\n", {{"nodes", "0, 1"}, {"cores", "0, 1"}, {"tasks", "2"}});
  nodes.config.emplace_back("frontend.nodes.count", "2");
  EXPECT_NE(error_of(nodes).find("a job with storage runs on one node"), std::string::npos)
      << error_of(nodes);
}

}  // namespace
}  // namespace hmsim::testing
