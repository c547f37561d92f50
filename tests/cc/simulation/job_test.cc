// SPDX-License-Identifier: BSD-3-Clause
// Jobs on the cores of a node, in complete simulations.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

constexpr double kCycle = 500;         // picoseconds, of a core
constexpr double kSwitch = 2'000'000;  // picoseconds

TEST(Job, AComputingThreadTakesItsInstructions) {
  const auto simulation = run({"thread main\ncompute 400000\n"});
  EXPECT_NEAR(value_of(*simulation, "agent.0.time.running"), 100'000 * kCycle, 2 * kCycle);
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 400'000);
  EXPECT_NEAR(value_of(*simulation, "agent.0.ipc"), 4, 0.001);
  EXPECT_NEAR(value_of(*simulation, "core.0.ipc"), 4, 0.001);
}

// Each thread runs for 100,000 cycles. A core switches between successive threads, and not at all
// if each thread has a core.
TEST(Job, ThreadsShareTheCores) {
  const std::string program = "thread worker 4\ncompute 400000\n";
  EXPECT_NEAR(makespan_ns({program}), (4 * 1e5 * kCycle + 3 * kSwitch) / 1e3, 10);
  EXPECT_NEAR(makespan_ns({program, {{"cores", "0, 1"}}}), (2 * 1e5 * kCycle + kSwitch) / 1e3, 10);
  EXPECT_NEAR(makespan_ns({program, {{"cores", "0-3"}}}), 1e5 * kCycle / 1e3, 10);
}

TEST(Job, AQuantumEndsIfOthersWait) {
  const std::string program = "thread worker 2\ncompute 400000\n";
  const Job job{program, {}, {{"frontend.node.quantum", "10us"}}};
  const auto simulation = run(job);
  // Both threads run for 50 us in slices of 10 us, which makes nine switches.
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

TEST(Job, WakesAreCountedAndWaitersRunInOrder) {
  // The waker finishes long before the sleeper waits, so both wakes must be remembered.
  const auto simulation =
      run({"thread sleeper\nsleep 100us\nwait a\nwait a\n"
           "thread waker\nwake a\nwake a\n",
           {{"cores", "0-1"}}});
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 100, 0.1);
  EXPECT_EQ(value_of(*simulation, "agent.0.thread.0.waiting"), 0);
  EXPECT_NEAR(value_of(*simulation, "agent.0.thread.0.sleeping") / 1e6, 100, 0.001);
}

// While the busy thread computes (2,000 cycles, 1 us), sleeps run normally. After that the first
// sleep ends at once, and the other is shortened by the same amount.
TEST(Job, SleepsMayBeSkippedWhileNothingElseHappens) {
  const std::string program =
      "thread a\nsleep 300ns\nwake x\nsleep 5us\nthread b\nsleep 7us\nthread c\nwait x\n"
      "thread busy\ncompute 8000\n";
  const auto kept = run({program, {{"cores", "0-3"}}});
  EXPECT_NEAR(value_of(*kept, "agent.0.makespan_us"), 7, 0.02);
  const auto skipped = run({program, {{"cores", "0-3"}, {"skip_idle", "true"}}});
  EXPECT_NEAR(value_of(*skipped, "agent.0.thread.2.waiting") / 1e6, 0.3, 0.01);
  // When the busy thread finishes, a has 4.3 us left and b 6 us, 1.7 us more.
  EXPECT_NEAR(value_of(*skipped, "agent.0.thread.0.sleeping") / 1e6, 1, 0.02);
  EXPECT_NEAR(value_of(*skipped, "agent.0.makespan_us"), 1, 0.02);
}

// An engine's read-ahead counts as activity, and so does a flush.
TEST(Job, TimeWithWorkInFlightIsNotIdle) {
  const Job job{"thread a\nread_ahead 5\nsleep 20us\ncompute 40\nuse 5\n",
                {{"skip_idle", "true"}},
                {{"frontend.node.machine", "dma"}}};
  const auto simulation = run(job);
  EXPECT_NEAR(value_of(*simulation, "agent.0.thread.0.sleeping") / 1e6, 20, 0.01);
  EXPECT_GT(value_of(*simulation, "agent.0.makespan_us"), 70);
}

// A thread wakes when its waker reaches that point, however long that takes.
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

TEST(Job, TasksHaveSeparateEvents) {
  EXPECT_NE(error_of({"thread waiter\nwait a\nthread waker\nwake b\nwait a\n"}), "");
  EXPECT_EQ(error_of({"thread waiter\nwait a\nthread waker\nwake a\n", {{"tasks", "3"}}}), "");
}

TEST(Job, AThreadThatIsNeverWokenIsAnError) {
  const std::string text =
      error_of({"thread main\ncompute 10\nwait go\nthread other\ncompute 9\n"});
  EXPECT_TRUE(names(text, {"x.job:3: ", "'main'", "task 0", "'go'"}));
}

// Complete simulations of one thread: a job sends the same requests as an llc_trace core.
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
  Assignments config = with(kSmall, more);
  RunOptions options;
  options.log_requests = true;
  Simulation simulation(config, {keys}, options, text_source(random_misses(seed)));
  run_to_end(simulation);
  return simulation.request_log()->take();
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

// A waking thread takes the core from one whose window is full of loads, whose stores find no queue
// entry, or that computes. The preempted thread loses no instructions or lines.
TEST(Job, WakingPreemptsComputationLoadsAndStores) {
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

// The core computes for 2 ms before a transfer; a sleeper of 10 us still preempts it in between.
TEST(Job, WakingPreemptsTheComputationBeforeATransfer) {
  std::string sleeper = "thread sleeper\n";
  for (int i = 0; i < 100; ++i) {
    sleeper += "sleep 10us\ncompute 30\n";
  }
  const auto simulation = run({sleeper + "thread busy\ncompute 16000000\nread 3\ncompute 10\n"});
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 16'000'010 + 100 * 30);
  EXPECT_EQ(value_of(*simulation, "nvdimm.reads"), 64);
  EXPECT_LT(value_of(*simulation, "agent.0.thread.0.run_queue") / 1e6, 1);
  EXPECT_LT(value_of(*simulation, "agent.0.thread.0.running") / 1e6, 210);
}

// Two threads that wake at the same time run on two cores.
TEST(Job, ThreadsThatWakePreemptDifferentCores) {
  const auto simulation =
      run({"thread sleeper 2\nsleep 20us\ncompute 40\n"
           "thread busy 2\ncompute 4000000\n",
           {{"cores", "0-1"}}});
  EXPECT_LT(value_of(*simulation, "agent.0.thread.0.run_queue") / 1e6, 0.1);
  EXPECT_LT(value_of(*simulation, "agent.0.thread.1.run_queue") / 1e6, 0.1);
}

TEST(Job, AThreadThatWaitsWhenTheLastFlusherEndsIsAnError) {
  EXPECT_TRUE(names(error_of({"thread a\nwrite 0\nthread b\nwait never\n", {{"cores", "0-1"}}}),
                    {"x.job:4: ", "'b'", "'never'"}));
}

// A thread is in exactly one state until it ends, so its times add up to its lifetime. The last
// thread lives as long as the job. Without flushers, cores are busy exactly while threads run.
TEST(Job, ThreadTimesAddUp) {
  const std::string program =
      "thread a 3\ncompute 10000\nread 3 2\nwake x\nsleep 7us\nwrite 40\nsync\n"
      "thread b 3\nwait x\ncompute 500\nread 90\n";
  for (const char* machine : {"table3", "marss", "prefetch", "dma"}) {
    const auto simulation =
        run({program, {{"cores", "0-1"}, {"flushers", "0"}}, {{"frontend.node.machine", machine}}});
    double longest = 0;
    for (int thread = 0; thread < 6; ++thread) {
      double sum = 0;
      for (const char* state : {"running", "run_queue", "reading", "read_ahead", "writing",
                                "throttled", "syncing", "waiting", "sleeping"}) {
        sum += value_of(*simulation, "agent.0.thread." + std::to_string(thread) + "." + state);
      }
      longest = std::max(longest, sum);
    }
    EXPECT_EQ(longest, static_cast<double>(simulation->now().value())) << machine;
    EXPECT_EQ(value_of(*simulation, "agent.0.time.running"),
              value_of(*simulation, "core.0.busy") + value_of(*simulation, "core.1.busy"))
        << machine;
  }
}

// However often progress is read and threads are preempted, it grows up to the program's
// instructions. Copy instructions are never counted.
TEST(Job, CopyInstructionsDoNotCountAsProgress) {
  const std::string program =
      "thread a 2\ncompute 100\nread 7 2\ncompute 300\nwrite 11 3\ncompute 50\nread 30\n"
      "thread b\nsleep 30us\ncompute 10\nsleep 3us\ncompute 10\nsleep 40us\ncompute 10\n";
  for (const char* machine : {"table3", "dma"}) {
    for (const char* flushers : {"0", "1"}) {
      for (const char* quantum : {"1us", "3ms"}) {
        const auto simulation = make({program,
                                      {{"flushers", flushers}},
                                      {{"frontend.node.machine", machine},
                                       {"frontend.node.quantum", quantum},
                                       {"frontend.node.copy_instructions", "24"},
                                       {"frontend.core.window", "128"}}});
        double before = 0;
        for (bool ended = false; !ended;) {
          ended = simulation->run(1);
          const double done = value_of(*simulation, "core.0.instructions");
          ASSERT_GE(done, before) << machine << flushers << quantum;
          ASSERT_EQ(done, value_of(*simulation, "agent.0.progress"));
          before = done;
        }
        EXPECT_EQ(before, 2 * 450 + 30) << machine << flushers << quantum;
      }
    }
  }
}

double progress_of_misses(const char* tasks, const char* quantum) {
  Assignments config = kSmall;
  config.insert(config.end(),
                {{"frontend.node.quantum", quantum}, {"frontend.core.window", "128"}});
  Simulation simulation(config,
                        {{{"kind", "job"}, {"path", "x"}, {"format", "hmsim"}, {"tasks", tasks}}},
                        {}, text_source(random_misses(3)));
  run_to_end(simulation);
  return value_of(simulation, "agent.0.progress");
}

// Preempted tasks of a trace of misses count each instruction once, copying instructions included.
TEST(Job, PreemptedMissesAreProgressOnce) {
  EXPECT_EQ(progress_of_misses("3", "1us"), 3 * progress_of_misses("1", "1s"));
}

// A + B equals the uninterrupted run at any cut.
TEST(Job, ARunMayBeCutAnywhere) {
  const std::string program =
      "thread a 3\ncompute 10000\nread 3 2\nwake x\nsleep 7us\nwrite 40 3\nsync\nload 0x40\n"
      "sleep 90us\ncompute 40\n"
      "thread b 3\nwait x\ncompute 500\nread 90\nwrite 20\nstore 0x4000\n";
  for (const char* machine : {"table3", "prefetch", "dma"}) {
    for (const char* flushers : {"0", "2"}) {
      const char* persistence = flushers == std::string("0") ? "module" : "controller";
      const Job job{
          program,
          {{"cores", "0-1"},
           {"tasks", "2"},
           {"flushers", flushers},
           {"dirty_ratio", "0.000002"},
           {"skip_idle", machine == std::string("prefetch") ? "false" : "true"}},
          {{"frontend.node.machine", machine}, {"frontend.node.persistence", persistence}}};
      SCOPED_TRACE(std::string(machine) + ", " + flushers);
      expect_exact_continuation([&] { return make(job); }, 4'000, 4);
    }
  }
}

// Preconditioning makes the pages that the threads of every task read resident, for programs in
// text and for captures.
TEST(Job, PagesThatItsThreadsReadCanBeResident) {
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
  run_to_end(simulation);
  EXPECT_EQ(value_of(simulation, "nvdimm.buffer.read_hit_ratio"), 1);
}

// The job's only instructions are those of copies. A warm-up that waited for the job to run
// instructions would not end.
TEST(Job, AWarmUpOfInstructionsDoesNotWaitForJobs) {
  RunOptions options;
  options.warmup_instructions = 1'000;
  Simulation simulation(kSmall, {{{"kind", "job"}, {"path", "x"}, {"format", "job"}}}, options,
                        text_source(reader(3)));
  EXPECT_TRUE(simulation.run(1'000'000));
}

TEST(Job, StartsOverWhileOthersContinue) {
  Assignments config = kSmall;
  const std::vector<Assignments> agents{
      {{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"cores", "1"}},
      {{"kind", "synthetic"}, {"requests", "2000"}, {"interval", "100ns"}}};
  Simulation simulation(config, agents, {}, text_source("thread a\ncompute 400\nread 1\n"));
  run_to_end(simulation);
  EXPECT_EQ(value_of(simulation, "agent.0.progress"), 400);
  EXPECT_GT(value_of(simulation, "agent.1.finished"), 0);
  EXPECT_LT(value_of(simulation, "agent.0.makespan_us"), 100);
}

TEST(Job, InvalidJobsAreRejected) {
  const std::string program = "thread a\ncompute 1\n";
  EXPECT_TRUE(names(error_of({program, {{"cores", "1, 1"}}}), {"cores: ", "'1, 1'", "distinct"}));
  EXPECT_TRUE(names(error_of({program, {{"cores", "300"}}}), {"cores: ", "'300'", "255"}));
  EXPECT_NE(error_of({program, {{"tasks", "0"}}}).find("agent.0.tasks"), std::string::npos);
  EXPECT_NE(error_of({"thread a 16384\ncompute 1\n", {{"tasks", "2"}}}).find("agent.0.tasks"),
            std::string::npos);
  EXPECT_TRUE(names(error_of({"thread a\nread 1\n", {}, {{"nvdimm.present", "false"}}}),
                    {"agent.0: ", "NVDIMM"}));
  EXPECT_NE(error_of({program, {{"instructions", "3"}}}).find("agent.0.instructions"),
            std::string::npos);
  EXPECT_NE(error_of({program, {{"skip", "3"}}}).find("agent.0.skip"), std::string::npos);
}

}  // namespace
}  // namespace hmsim::testing
