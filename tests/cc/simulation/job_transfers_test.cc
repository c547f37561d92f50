// SPDX-License-Identifier: BSD-3-Clause
// The cost of jobs' transfers: pages from flash, engines, flushers, syncs.
#include <gtest/gtest.h>

#include <string>

#include "tests/cc/simulation/job_rig.h"

namespace hmsim::testing {
namespace {

// A 4 KB page from flash. Its first line takes 70.85375 us, from the request to its last beat. When
// a line has arrived, the next one is requested on the next controller edge, 1.25 ns later, and
// arrives after an ack round of 73.75 ns. Lines of one turn follow each other every 6.25 ns.
// Commands collide where turns meet: within 25 ns. With more than 12 loads a turn takes longer than
// the ack round, so the bus is the limit: 5 ns per line, or 6.25 ns if a command is in between.
TEST(JobTransfers, APageArrivesAsFastAsLoadsInFlightAllow) {
  for (const int loads : {1, 2, 4, 8, 10, 16, 32, 64}) {
    const double ns =
        makespan_ns({"thread reader\nread 7\n",
                     {},
                     {{"frontend.node.mshrs", std::to_string(loads)}, {"dram.refresh", "false"}}});
    const double first = 70'853.75;
    const bool exact = loads == 1 || loads == 4 || loads == 64;
    if (exact || loads <= 12) {
      EXPECT_NEAR(ns, first + 63 / loads * (73.75 + 1.25) + 63 % loads * 6.25, exact ? 0.01 : 25)
          << loads;
    } else {
      EXPECT_GE(ns, first + 63 * 5) << loads;
      EXPECT_LE(ns, first + 63 * 6.25) << loads;
    }
  }
}

// Readers on separate cores add up while their pages rarely share a LUN. They never beat a page's
// latency or the flash buses' 465 MB/s.
TEST(JobTransfers, ReadersAddUpUntilTheFlashIsBusy) {
  for (const int threads : {1, 2, 4, 8, 16}) {
    std::string program;
    for (int thread = 0; thread < threads; ++thread) {
      program += "thread reader\n";
      for (int page = 0; page < 64; ++page) {
        program += "read " + std::to_string(page * threads + thread) + "\n";
      }
    }
    const double ns = makespan_ns(
        {program, {{"cores", "0-" + std::to_string(threads - 1)}}, {{"frontend.node.mshrs", "4"}}});
    EXPECT_GE(ns / 64, 0.999 * 71'997.5) << threads;
    EXPECT_GE(ns / 64, threads * 4'096 / 0.465) << threads;
    if (threads <= 4) {
      EXPECT_LE(ns / 64, 1.02 * 71'997.5) << threads;
    }
  }
}

// A wait at the fence after a page belongs to the page's copy, whatever the core does next.
TEST(JobTransfers, AFenceBelongsToTheCopyBeforeIt) {
  const auto result = run({"thread writer\nwrite 7\ncompute 80\nload 4096\n",
                           {{"flushers", "0"}},
                           {{"frontend.node.persistence", "module"}}});
  const double running = value_of(*result, "agent.0.thread.0.running") / 1e3;
  const double copying = value_of(*result, "agent.0.thread.0.copying") / 1e3;
  EXPECT_GT(copying, 300);                 // ns: 64 stores are sent at once and arrive 5 ns apart
  EXPECT_NEAR(running - copying, 10, 80);  // 80 instructions, a DRAM miss
}

// While an engine copies for a thread, its core runs another thread.
TEST(JobTransfers, AnEngineLeavesTheCoreToOthers) {
  const std::string program = reader(20) + "thread worker\ncompute 8000000\n";  // 1 ms
  const Assignments dma{{"frontend.node.machine", "dma"}};
  const auto engine = run({program, {}, dma});
  const auto core = run({program});
  EXPECT_NEAR(value_of(*engine, "agent.0.thread.0.reading") / 1e6, 20 * 71.2, 20);
  EXPECT_EQ(value_of(*core, "agent.0.thread.0.reading"), 0);
  EXPECT_NEAR(value_of(*core, "agent.0.makespan_us"), 1'000 + 20 * 71.9 + 2, 30);
  EXPECT_LT(value_of(*engine, "agent.0.makespan_us"), value_of(*core, "agent.0.makespan_us") - 900);
}

// With an engine, a read-ahead costs its reader only the remaining time at the first use. With core
// copies, it is an ordinary read.
TEST(JobTransfers, AThreadWaitsForReadAheadAtItsFirstUse) {
  const auto program = [](int instructions) {
    return "thread reader\nread_ahead 7 2\ncompute " + std::to_string(instructions) +
           "\nuse 8\nuse 7\nuse 9\n";
  };
  const Assignments dma{{"frontend.node.machine", "dma"}, {"dram.refresh", "false"}};
  const double alone = makespan_ns({"thread reader\nread 7 2\n", {}, dma});
  const auto early = run({program(8'000), {}, dma});  // 1 us
  EXPECT_NEAR(value_of(*early, "agent.0.makespan_us") * 1e3, alone, 1);
  EXPECT_NEAR(value_of(*early, "agent.0.thread.0.read_ahead") / 1e3, alone - 1'000,
              1.3);  // an edge
  EXPECT_EQ(value_of(*early, "agent.0.thread.0.reading"), 0);
  const auto late = run({program(1'600'000), {}, dma});  // 200 us
  EXPECT_NEAR(value_of(*late, "agent.0.makespan_us"), 200, 0.01);
  EXPECT_EQ(value_of(*late, "agent.0.thread.0.read_ahead"), 0);
  const auto core = run({program(8'000)});
  EXPECT_EQ(value_of(*core, "agent.0.thread.0.read_ahead"), 0);
  EXPECT_GT(value_of(*core, "agent.0.makespan_us") * 1e3, alone + 1'000);
}

// Read-aheads beyond the maximum number in flight block their thread.
TEST(JobTransfers, ReadAheadIsBounded) {
  std::string program = "thread reader\n";
  for (int page = 0; page < 300; ++page) {
    program += "read_ahead " + std::to_string(page) + "\n";
  }
  const auto simulation = run({program + "use 299\n", {}, {{"frontend.node.machine", "dma"}}});
  EXPECT_GT(value_of(*simulation, "agent.0.thread.0.reading"), 0);
  EXPECT_GE(value_of(*simulation, "nvdimm.reads"), 257 * 64);
}

TEST(JobTransfers, WritersContinueUntilTooManyWritesWait) {
  std::string program = "thread writer\n";
  for (int page = 0; page < 256; ++page) {
    program += "write " + std::to_string(page) + "\ncompute 400\n";
  }
  const Assignments small{{"nvdimm.buffer.write_size", "64KiB"}};
  const auto unlimited = run({program, {{"cores", "0-1"}}, small});
  EXPECT_EQ(value_of(*unlimited, "agent.0.time.throttled"), 0);
  const auto limited = run({program, {{"cores", "0-1"}, {"dirty_ratio", "0.00002"}}, small});
  EXPECT_GT(value_of(*limited, "agent.0.time.throttled"),
            value_of(*limited, "agent.0.makespan_us") * 1e6 / 2);
  EXPECT_GT(value_of(*limited, "agent.0.makespan_us"),
            5 * value_of(*unlimited, "agent.0.makespan_us"));
}

TEST(JobTransfers, SyncWaitsForAllEarlierWrites) {
  std::string program = "thread writer\n";
  for (int page = 0; page < 64; ++page) {
    program += "write " + std::to_string(page) + "\n";
  }
  const auto without = run({program, {{"cores", "0-1"}}});
  const auto with = run({program + "sync\n", {{"cores", "0-1"}}});
  EXPECT_GT(value_of(*with, "agent.0.time.syncing"), 0);
  EXPECT_GT(value_of(*with, "agent.0.makespan_us"), value_of(*without, "agent.0.makespan_us"));
  EXPECT_EQ(value_of(*with, "nvdimm.writes"), 64 * 64);
}

}  // namespace
}  // namespace hmsim::testing
