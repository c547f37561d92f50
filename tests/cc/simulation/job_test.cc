// SPDX-License-Identifier: BSD-3-Clause
// Jobs on the cores of a node, in whole simulations.
#include <gtest/gtest.h>

#include <string>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

constexpr double kCycle = 500;         // picoseconds, of a core
constexpr double kSwitch = 2'000'000;  // picoseconds

// Reads of pages that no one wrote are answered at once; these are written before.
const Assignments kSmall{
    {"nvdimm.capacity", "256MiB"},        {"nvdimm.ftl.over_provisioning", "15"},
    {"nvdimm.buffer.read_size", "1MiB"},  {"nvdimm.buffer.write_size", "1MiB"},
    {"nvdimm.precondition.fill", "0.02"}, {"frontend.translation", "modulo"},
    {"frontend.core.window", "65536"},    {"frontend.node.copy_instructions", "1"}};

struct Job {
  std::string program;
  Assignments keys = {};
  Assignments config = {};
  std::uint64_t seed = 1;
};

std::unique_ptr<Simulation> make(const Job& job) {
  Assignments config = kSmall;
  config.insert(config.end(), job.config.begin(), job.config.end());
  Assignments keys{{"kind", "job"}, {"path", "x.job"}, {"format", "job"}};
  keys.insert(keys.end(), job.keys.begin(), job.keys.end());
  RunOptions options;
  options.seed = job.seed;
  return std::make_unique<Simulation>(config, std::vector<Assignments>{keys}, options,
                                      text_source(job.program));
}

std::unique_ptr<Simulation> run(const Job& job) {
  auto simulation = make(job);
  while (!simulation->run(1'000'000)) {
  }
  return simulation;
}

double value_of(const Simulation& simulation, const std::string& path) {
  for (const Statistic& statistic : simulation.statistics()) {
    if (statistic.path == path) {
      return statistic.kind == StatisticKind::counter ? static_cast<double>(statistic.count)
                                                      : statistic.value;
    }
  }
  ADD_FAILURE() << path;
  return 0;
}

double makespan_ns(const Job& job) { return value_of(*run(job), "agent.0.makespan_us") * 1e3; }

std::string error_of(const Job& job) {
  try {
    run(job);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A thread that reads so many pages, one after the other, none of them twice.
std::string reader(int pages) {
  std::string text = "thread reader\n";
  for (int page = 0; page < pages; ++page) {
    text += "read " + std::to_string(page) + "\n";
  }
  return text;
}

TEST(Job, AComputingThreadTakesItsInstructions) {
  const auto simulation = run({"thread main\ncompute 400000\n"});
  EXPECT_NEAR(value_of(*simulation, "agent.0.time.running"), 100'000 * kCycle, 2 * kCycle);
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 400'000);
  EXPECT_NEAR(value_of(*simulation, "agent.0.ipc"), 4, 0.001);
  EXPECT_NEAR(value_of(*simulation, "core.0.ipc"), 4, 0.001);
}

// 100,000 cycles each: one switch between two, and none where each has a core.
TEST(Job, ThreadsShareTheCoresThatThereAre) {
  const std::string program = "thread worker 4\ncompute 400000\n";
  EXPECT_NEAR(makespan_ns({program}), (4 * 1e5 * kCycle + 3 * kSwitch) / 1e3, 10);
  EXPECT_NEAR(makespan_ns({program, {{"cores", "0, 1"}}}), (2 * 1e5 * kCycle + kSwitch) / 1e3, 10);
  EXPECT_NEAR(makespan_ns({program, {{"cores", "0-3"}}}), 1e5 * kCycle / 1e3, 10);
}

TEST(Job, AQuantumEndsWhereOthersWait) {
  const std::string program = "thread worker 2\ncompute 400000\n";
  const Job job{program, {}, {{"frontend.node.quantum", "10us"}}};
  const auto simulation = run(job);
  // 50 us each, in turns of 10 us: nine switches.
  EXPECT_EQ(value_of(*simulation, "core.0.switches"), 9);
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 100 + 9 * 2, 0.05);
  EXPECT_NEAR(value_of(*simulation, "agent.0.thread.0.run_queue") / 1e6, 4 * 12, 0.05);
}

TEST(Job, ALoneThreadIsNotSwitched) {
  const Job job{
      "thread main\ncompute 400000\n", {{"cores", "0-3"}}, {{"frontend.node.quantum", "10us"}}};
  const auto simulation = run(job);
  EXPECT_EQ(value_of(*simulation, "core.0.switches"), 0);
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 50, 0.05);
  EXPECT_EQ(value_of(*simulation, "core.1.busy"), 0);
}

TEST(Job, WakesAreCountedAndWaitersGoInTheirOrder) {
  // The waker is done long before the sleeper waits.
  const auto simulation =
      run({"thread sleeper\nsleep 100us\nwait a\nwait a\n"
           "thread waker\nwake a\nwake a\n",
           {{"cores", "0-1"}}});
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 100, 0.1);
  EXPECT_EQ(value_of(*simulation, "agent.0.thread.0.waiting"), 0);
  EXPECT_NEAR(value_of(*simulation, "agent.0.thread.0.sleeping") / 1e6, 100, 0.001);
}

// A thread wakes when its waker reaches that point, however long it takes to get there.
TEST(Job, AWaiterWaitsForTheWorkOfItsWaker) {
  for (const int cycles : {1'000, 50'000}) {
    const std::string work = std::to_string(4 * cycles);
    const auto simulation =
        run({"thread waiter\nwait a\ncompute 4000\nthread waker\ncompute " + work + "\nwake a\n",
             {{"cores", "0-1"}}});
    EXPECT_NEAR(value_of(*simulation, "agent.0.thread.0.waiting"), cycles * kCycle, 10 * kCycle);
    EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us") * 1e6, (cycles + 1'000) * kCycle,
                20 * kCycle);
  }
}

TEST(Job, TasksHaveEventsOfTheirOwn) {
  EXPECT_NE(error_of({"thread waiter\nwait a\nthread waker\nwake b\nwait a\n"}), "");
  EXPECT_EQ(error_of({"thread waiter\nwait a\nthread waker\nwake a\n", {{"tasks", "3"}}}), "");
}

TEST(Job, AThreadThatNobodyWakesIsAnError) {
  const std::string text =
      error_of({"thread main\ncompute 10\nwait go\nthread other\ncompute 9\n"});
  EXPECT_EQ(text,
            "x.job:3: thread 'main' of task 0 waits for 'go', which nobody is left to wake: the "
            "job's other threads have ended, or wait");
}

// A 4 KB page from flash. Its first line takes 70.85375 us, from the request to its last beat. The
// next line takes the place of one that has come on the next edge of the controller, 1.25 ns later,
// and comes after the ack's round, 73.75 ns; those of one turn follow each other every 6.25 ns.
// Commands collide where turns meet: within 25 ns. Of more than 12 loads a turn lasts longer than
// the ack's round, so that the bus is the bound: 5 ns a line, or 6.25 where a command goes between.
TEST(Job, APageComesAsFastAsLoadsInFlightAllow) {
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

// Readers on cores of their own add up while their pages seldom meet in a LUN. They never beat a
// page's latency, nor the flash buses, 465 MB/s.
TEST(Job, ReadersAddUpUntilTheFlashIsBusy) {
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

// Whole simulations of one thread: what a job sends, an llc_trace core sends, too.
class JobAndCore : public ::testing::TestWithParam<std::uint64_t> {};

std::string random_misses(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> words;
  std::uint64_t page = 0;
  for (int i = 0; i < 3'000; ++i) {
    if (random.below(50) == 0) {
      page = random.below(1'000);
      const std::uint64_t kind = random.below(2) == 0 ? 0 : 2;
      for (std::uint64_t line = 0; line < 64; ++line) {
        words.push_back(hmsim_record((std::uint64_t{1} << 39) | (page * 64 + line), kind, 0, 24));
      }
    } else {
      words.push_back(
          hmsim_record(random.below(1 << 18), random.below(3) == 0, 0, random.below(200)));
    }
  }
  return hmsim_trace(words, 1, 2);
}

RequestLog::Columns requests_of(const Assignments& keys, const Assignments& more,
                                std::uint64_t seed) {
  Assignments config = kSmall;
  config.insert(config.end(), more.begin(), more.end());
  RunOptions options;
  options.log_requests = true;
  Simulation simulation(config, {keys}, options, text_source(random_misses(seed)));
  while (!simulation.run(1'000'000)) {
  }
  return simulation.take_requests();
}

TEST_P(JobAndCore, SendTheSameRequests) {
  for (const char* translation : {"modulo", "first_touch"}) {
    const Assignments config{{"frontend.core.window", "128"},
                             {"frontend.translation", translation},
                             {"frontend.node.mshrs", "10"},
                             {"frontend.node.quantum", "1s"}};
    const RequestLog::Columns job = requests_of(
        {{"kind", "job"}, {"path", "x"}, {"format", "hmsim"}, {"cores", "3"}, {"flushers", "0"}},
        config, GetParam());
    const RequestLog::Columns core = requests_of(
        {{"kind", "llc_trace"}, {"path", "x"}, {"format", "hmsim"}, {"core", "3"}, {"mshrs", "10"}},
        config, GetParam());
    EXPECT_EQ(job, core) << translation;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JobAndCore, ::testing::Range<std::uint64_t>(1, 6));

// While an engine copies for a thread, its core runs another.
TEST(Job, AnEngineLeavesTheCoreToOthers) {
  const std::string program = reader(20) + "thread worker\ncompute 8000000\n";  // 1 ms
  const Assignments dma{{"frontend.node.machine", "dma"}};
  const auto engine = run({program, {}, dma});
  const auto core = run({program});
  EXPECT_NEAR(value_of(*engine, "agent.0.thread.0.reading") / 1e6, 20 * 71.2, 20);
  EXPECT_EQ(value_of(*core, "agent.0.thread.0.reading"), 0);
  EXPECT_NEAR(value_of(*core, "agent.0.makespan_us"), 1'000 + 20 * 71.9 + 2, 30);
  EXPECT_LT(value_of(*engine, "agent.0.makespan_us"), value_of(*core, "agent.0.makespan_us") - 900);
}

// A thread that wakes takes the core from one whose window is full of loads, whose stores find no
// queue entry, or which computes; whoever yields loses none of its instructions and lines.
TEST(Job, WakingPreemptsWhateverTheOtherDoes) {
  std::string busy = "thread busy\n";
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 24; ++k) {
      busy += "store " + std::to_string((i * 24 + k) * 12'352) + "\n";
    }
    busy += "load " + std::to_string(i * 8'256) + (i % 10 == 0 ? "\ncompute 4000\n" : "\n");
  }
  std::string sleeper = "thread sleeper\n";
  for (int i = 0; i < 200; ++i) {
    sleeper += "sleep " + std::to_string(100 + i) + "ns\ncompute 30\n";
  }
  for (const char* window : {"8", "65536"}) {
    const Job job{sleeper + busy,
                  {},
                  {{"frontend.core.window", window},
                   {"frontend.node.switch_time", "20ns"},
                   {"controller.queue_depth", "4"}}};
    const auto simulation = run(job);
    EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 10 * 4'000 + 100 + 200 * 30);
    EXPECT_EQ(value_of(*simulation, "dram.reads"), 100);
    EXPECT_EQ(value_of(*simulation, "dram.writes"), 2'400);
    EXPECT_GT(value_of(*simulation, "core.0.switches"), 100);
    Job queues = job;
    queues.config.emplace_back("frontend.node.wake", "queues");
    EXPECT_LT(value_of(*run(queues), "core.0.switches"), value_of(*simulation, "core.0.switches"));
  }
}

TEST(Job, WritersGoOnUntilTooMuchWaits) {
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

TEST(Job, SyncWaitsForAllThatWasWritten) {
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

TEST(Job, ThreadTimesAddUp) {
  const std::string program =
      "thread a 3\ncompute 10000\nread 3 2\nwake x\nsleep 7us\nwrite 40\nsync\n"
      "thread b 3\nwait x\ncompute 500\nread 90\n";
  for (const char* machine : {"table3", "marss", "dma"}) {
    const auto simulation =
        run({program, {{"cores", "0-1"}}, {{"frontend.node.machine", machine}}});
    for (int thread = 0; thread < 6; ++thread) {
      double sum = 0;
      for (const char* state : {"running", "run_queue", "reading", "writing", "throttled",
                                "syncing", "waiting", "sleeping"}) {
        sum += value_of(*simulation, "agent.0.thread." + std::to_string(thread) + "." + state);
      }
      EXPECT_LE(sum, static_cast<double>(simulation->now().value())) << machine << thread;
      EXPECT_GT(sum, 0);
    }
    double all = 0;
    for (const char* core : {"core.0.busy", "core.1.busy"}) {
      all += value_of(*simulation, core);
    }
    EXPECT_LE(value_of(*simulation, "agent.0.time.running"), all);
  }
}

// A + B is the same as the whole, wherever it is cut.
TEST(Job, ARunMayBeCutAnywhere) {
  const std::string program =
      "thread a 3\ncompute 10000\nread 3 2\nwake x\nsleep 7us\nwrite 40 3\nsync\nload 0x40\n"
      "thread b 3\nwait x\ncompute 500\nread 90\nwrite 20\nstore 0x4000\n";
  for (const char* machine : {"table3", "dma"}) {
    for (const char* flushers : {"0", "2"}) {
      const Job job{
          program,
          {{"cores", "0-1"}, {"tasks", "2"}, {"flushers", flushers}, {"dirty_ratio", "0.000002"}},
          {{"frontend.node.machine", machine}}};
      const auto whole = run(job);
      for (int steps = 1; steps < 4'000; steps = steps * 4 + 1) {
        auto first = make(job);
        first->run(static_cast<std::uint64_t>(steps));
        auto second = make(job);
        second->load(first->save(), "a.ckpt");
        while (!second->run(1'000'000)) {
        }
        ASSERT_EQ(whole->now(), second->now()) << machine << flushers << steps;
        ASSERT_EQ(whole->save(), second->save()) << machine << flushers << steps;
      }
    }
  }
}

// Of each task, in both kinds of programs.
TEST(Job, WhatItsThreadsReadCanBeResident) {
  const std::string text = "thread a 2\nread 5 2\nwrite 90\nthread b\nread 700\nread 6\n";
  for (const char* buffer : {"none", "resident"}) {
    const auto simulation =
        run({text, {{"tasks", "2"}, {"cores", "0-1"}}, {{"nvdimm.precondition.buffer", buffer}}});
    const bool resident = buffer == std::string("resident");
    EXPECT_EQ(value_of(*simulation, "nvdimm.buffer.read_hit_ratio") == 1, resident);
    EXPECT_EQ(value_of(*simulation, "agent.0.makespan_us") < 20, resident);
  }
  Assignments config = kSmall;
  config.emplace_back("nvdimm.precondition.buffer", "resident");
  config.emplace_back("nvdimm.buffer.read_size", "8MiB");
  Simulation simulation(config,
                        {{{"kind", "job"}, {"path", "x"}, {"format", "hmsim"}, {"tasks", "2"}}}, {},
                        text_source(random_misses(1)));
  while (!simulation.run(1'000'000)) {
  }
  EXPECT_EQ(value_of(simulation, "nvdimm.buffer.read_hit_ratio"), 1);
}

TEST(Job, StartsOverWhileOthersGoOn) {
  Assignments config = kSmall;
  const std::vector<Assignments> agents{
      {{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"cores", "1"}},
      {{"kind", "synthetic"}, {"requests", "2000"}, {"interval", "100ns"}}};
  Simulation simulation(config, agents, {}, text_source("thread a\ncompute 400\nread 1\n"));
  while (!simulation.run(1'000'000)) {
  }
  EXPECT_EQ(value_of(simulation, "agent.0.progress"), 400);
  EXPECT_GT(value_of(simulation, "agent.1.finished"), 0);
  EXPECT_LT(value_of(simulation, "agent.0.makespan_us"), 100);
}

TEST(Job, WhatCannotBeIsRefused) {
  const std::string program = "thread a\ncompute 1\n";
  EXPECT_NE(error_of({program, {{"cores", "1, 1"}}}).find("cores: '1, 1' is no list of cores"),
            std::string::npos);
  EXPECT_NE(error_of({program, {{"cores", "300"}}}).find("is no list of cores"), std::string::npos);
  EXPECT_NE(error_of({program, {{"tasks", "0"}}}).find("agent.0.tasks"), std::string::npos);
  EXPECT_NE(error_of({"thread a 16384\ncompute 1\n", {{"tasks", "2"}}}).find("agent.0.tasks"),
            std::string::npos);
  EXPECT_NE(error_of({"thread a\nread 1\n", {}, {{"nvdimm.present", "false"}}})
                .find("agent.0: its program uses an NVDIMM, and the configuration has none"),
            std::string::npos);
  EXPECT_NE(error_of({program, {{"instructions", "3"}}}).find("agent.0.instructions"),
            std::string::npos);
  EXPECT_NE(error_of({program, {{"skip", "3"}}}).find("agent.0.skip"), std::string::npos);
}

TEST(Job, ACoreIsEitherOfANodeOrOfAnAgent) {
  const std::vector<Assignments> agents{
      {{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"cores", "1-2"}},
      {{"kind", "synthetic_core"}, {"instructions", "10"}, {"core", "2"}}};
  EXPECT_THROW(Simulation(kSmall, agents, {}, text_source("thread a\ncompute 4\n")), InputError);
}

}  // namespace
}  // namespace hmsim::testing
