// SPDX-License-Identifier: BSD-3-Clause
// Jobs whose tasks are spread over several nodes, and the network between them.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

const Assignments kTwo{{"frontend.nodes.count", "2"}};
const Assignments kSpread{{"nodes", "0-1"}, {"tasks", "2"}, {"cores", "0-1"}};

// A job with one task on each of two nodes takes as long as a job with one task on one node, and
// does twice as much. Each task has its node's entire memory.
TEST(Nodes, ASpreadJobIsAJobOnEachNode) {
  const std::string text = random_program(5);
  for (const char* machine : {"table3", "dma"}) {
    const Assignments config{{"frontend.node.machine", machine}};
    const auto alone = run({text, {}, config});
    const auto spread = run({text, kSpread, with(config, kTwo)});
    EXPECT_EQ(value_of(*spread, "agent.0.makespan_us"), value_of(*alone, "agent.0.makespan_us"));
    for (const char* twice : {"agent.0.progress", "nvdimm.reads", "nvdimm.writes", "dram.reads",
                              "nvdimm.nand.reads", "agent.0.time.waiting", "nvdimm.flushes"}) {
      EXPECT_EQ(value_of(*spread, twice), 2 * value_of(*alone, twice)) << twice;
    }
  }
}

// Each node has half of the tasks and divides its memory among them.
TEST(Nodes, TasksTakeTurnsOverNodes) {
  const std::string text = random_program(6);
  const auto alone = run({text, {{"tasks", "2"}}, {}});
  const auto spread =
      run({text, {{"nodes", "0, 1"}, {"tasks", "4"}, {"cores", "3, 7"}, {"flushers", "1"}}, kTwo});
  EXPECT_EQ(value_of(*spread, "agent.0.makespan_us"), value_of(*alone, "agent.0.makespan_us"));
  EXPECT_EQ(value_of(*spread, "core.3.busy"), value_of(*spread, "core.7.busy"));
}

std::string times(int rounds, const std::string& round) {
  std::string text;
  for (int i = 0; i < rounds; ++i) {
    text += round;
  }
  return text;
}

constexpr double kSlot = 0.000125;  // microseconds, of a core

// 1 us on a link at 10 Gb/s, 15 us latency, and 1000 cycles (0.5 us) on each side per round.
TEST(Nodes, APingPongTakesTwoMessagesARound) {
  constexpr int kRounds = 50;
  const std::string text =
      "task 0\nthread ping\n" + times(kRounds, "compute 4000\nsend 1 ball 1250B\nwait ball\n") +
      "task 1\nthread pong\n" + times(kRounds, "wait ball\ncompute 4000\nsend 0 ball 1250B\n");
  for (const auto& [latency, rate, on_way, on_link] :
       {std::tuple("15us", "10Gb/s", 15.0, 1.0), std::tuple("0s", "10Gb/s", 0.0, 1.0),
        std::tuple("15us", "1Gb/s", 15.0, 10.0), std::tuple("2us", "40Gb/s", 2.0, 0.25)}) {
    const auto simulation =
        run({text, kSpread,
             with(kTwo, {{"frontend.network.latency", latency}, {"frontend.network.rate", rate}})});
    const double wanted = kRounds * 2 * (on_way + on_link + 0.5);
    const double found = value_of(*simulation, "agent.0.makespan_us");
    EXPECT_GE(found, wanted) << latency << rate;
    EXPECT_LE(found, wanted + kRounds * 2 * 6 * kSlot) << latency << rate;  // a step takes a slot
    EXPECT_EQ(value_of(*simulation, "node.0.network.messages"), kRounds);
    EXPECT_EQ(value_of(*simulation, "node.1.network.bytes"), kRounds * 1'250);
    EXPECT_EQ(value_of(*simulation, "node.0.network.out_busy"), kRounds * on_link * 1e6);
  }
}

// Tasks of one node need no network.
TEST(Nodes, MessagesWithinANodeTakeNoTime) {
  const std::string text =
      "task 0\nthread ping\n" + times(10, "compute 4000\nsend 1 ball 1MiB\nwait ball\n") +
      "task 1\nthread pong\n" + times(10, "wait ball\ncompute 4000\nsend 0 ball 1MiB\n");
  const auto simulation = run({text, {{"tasks", "2"}, {"cores", "0-1"}}});
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 10 * 2 * 0.5, 20 * 6 * kSlot);
}

// One token around four nodes, and four at once, which do not meet.
TEST(Nodes, TokensOnARingDoNotMeet) {
  const Assignments four{{"frontend.nodes.count", "4"}};
  const Assignments keys{{"nodes", "0-3"}, {"tasks", "4"}, {"cores", "0-3"}};
  constexpr int kRounds = 10;
  std::string one;
  std::string all;
  for (int task = 0; task < 4; ++task) {
    const std::string next = std::to_string((task + 1) % 4);
    const std::string send = "compute 4000\nsend " + next + " token 1250B\n";
    const std::string head = "task " + std::to_string(task) + "\nthread node\n";
    one += head + times(kRounds, task == 0 ? send + "wait token\n" : "wait token\n" + send);
    all += head + times(kRounds, send + "wait token\n");
  }
  const double single = value_of(*run({one, keys, four}), "agent.0.makespan_us");
  EXPECT_GE(single, kRounds * 4 * 16.5);
  EXPECT_LE(single, kRounds * 4 * (16.5 + 6 * kSlot));
  const double at_once = value_of(*run({all, keys, four}), "agent.0.makespan_us");
  EXPECT_GE(at_once, kRounds * 16.5);
  EXPECT_LE(at_once, kRounds * (16.5 + 6 * kSlot));
}

// The incoming link of node 0 serves the messages of three others: 10 us each.
TEST(Nodes, SendersToOneReceiverQueue) {
  const std::string text =
      "task 0\nthread sink\nwait block\nwait block\nwait block\n"
      "task 1\nthread source\nsend 0 block 12500B\ntask 2\nthread source\nsend 0 block 12500B\n"
      "task 3\nthread source\nsend 0 block 12500B\n";
  const auto simulation = run({text,
                               {{"nodes", "0-3"}, {"tasks", "4"}, {"cores", "0-3"}},
                               {{"frontend.nodes.count", "4"}}});
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 15 + 3 * 10, 8 * kSlot);
  EXPECT_EQ(value_of(*simulation, "node.0.network.in_busy"), 30e6);
  EXPECT_EQ(value_of(*simulation, "node.3.network.out_busy"), 10e6);
}

// A job ends when its last message has arrived, even if no thread waits for it.
TEST(Nodes, AJobLastsUntilItsMessagesHaveArrived) {
  const auto simulation =
      run({"task 0\nthread a\nsend 1 late 12500B\ntask 1\nthread b\ncompute 4\n", kSpread, kTwo});
  EXPECT_NEAR(value_of(*simulation, "agent.0.makespan_us"), 25, 6 * kSlot);
}

TEST(Nodes, AThreadWaitsWhileAnotherTaskOrAMessageMayWakeIt) {
  EXPECT_EQ(error_of({"task 0\nthread a\nsleep 1ms\nsend 1 go 1MiB\ntask 1\nthread b\nwait go\n",
                      kSpread, kTwo}),
            "");
  EXPECT_EQ(error_of({"task 0\nthread a\nwait go\nsend 1 go 64B\nwait never\ntask 1\nthread b\n"
                      "send 0 go 64B\nwait go\n",
                      kSpread, kTwo})
                .rfind("x.job:5: thread 'a' of task 0 ", 0),
            0u);
  // The last message wakes no thread.
  EXPECT_TRUE(names(
      error_of({"task 0\nthread a\nwait go\ntask 1\nthread b\nsend 0 gone 64B\n", kSpread, kTwo}),
      {"x.job:3: ", "'a'", "task 0", "'go'"}));
}

TEST(Nodes, ARunMayBeCutAnywhere) {
  std::string text =
      "thread worker 2\ncompute 900\nread 3 2\nsend 0 x 100KiB\nwrite 9\nsend 1 x 64B\nsync\n"
      "send 2 x 10KiB\nwait x\nload 0x40\nwait x\nwait x\nsleep 3us\n";
  for (const auto& [memory, machine] :
       {std::pair("own", "table3"), std::pair("own", "prefetch"), std::pair("shared", "table3")}) {
    const Job job{text,
                  {{"nodes", "0-2"}, {"tasks", "3"}, {"cores", "0-5"}},
                  {{"frontend.nodes.count", "3"},
                   {"frontend.nodes.memory", memory},
                   {"frontend.node.machine", machine},
                   {"nvdimm.capacity", "64MiB"},
                   {"nvdimm.ftl.over_provisioning", "60"}}};
    SCOPED_TRACE(std::string(memory) + ", " + machine);
    expect_exact_continuation([&] { return make(job); }, 20'000, 3);
  }
}

TEST(Nodes, StartOverWithoutStateOfTheLastPass) {
  const std::vector<Assignments> agents{
      with({{"kind", "job"}, {"path", "x"}, {"format", "job"}}, kSpread),
      keys_from("kind=synthetic requests=20000 interval=100ns node=1 core=1")};
  Simulation simulation(with(kSmall, kTwo), agents, {},
                        text_source("thread a\nsend 0 x 5KiB\nsend 1 x 5KiB\nsend 1 x 5KiB\n"
                                    "wait x\nwait x\ncompute 400\n"));
  run_to_end(simulation);
  EXPECT_EQ(value_of(simulation, "agent.0.progress"), 800);
  EXPECT_GT(value_of(simulation, "node.0.network.messages"), 20);
}

// Bytes of each node's memories survive or are lost in a power failure like those of a single node.
TEST(Nodes, PowerFailsOnAllNodes) {
  const Assignments config =
      with(kTwo, {{"system.store_data", "true"}, {"nvdimm.precondition.fill", "0"}});
  Simulation simulation(with(kSmall, config), {}, {}, text_source(""));
  const std::int64_t dram = simulation.memory().capacity(MemoryClass::dram).value();
  const std::int64_t nvdimm = simulation.memory().capacity(MemoryClass::nvdimm).value();
  std::map<std::int64_t, std::string> content;
  int number = 0;
  for (const std::int64_t address : {std::int64_t{0}, dram / 2, dram, dram + nvdimm / 2}) {
    for (const std::int64_t at : {address, address + 8'192}) {
      content[at] = std::string(64, static_cast<char>('a' + number++));
      ASSERT_TRUE(simulation.enqueue(Address(at), 64, true, 0, content[at]));
    }
  }
  ASSERT_TRUE(simulation.advance(kSecond / 1'000));
  for (const auto& [at, bytes] : content) {
    EXPECT_EQ(simulation.peek(Address(at), 64), bytes) << at;
  }
  simulation.power_fail();
  ASSERT_TRUE(simulation.power_on());
  for (const auto& [at, bytes] : content) {
    EXPECT_EQ(simulation.peek(Address(at), 64) == bytes, at >= dram) << at;
  }
}

std::string error_with(const std::vector<Assignments>& agents, const Assignments& config) {
  return error_from(
      [&] { Simulation(with(kSmall, config), agents, {}, text_source("thread a\ncompute 4\n")); });
}

TEST(Nodes, InvalidSystemsAreRejected) {
  const Assignments core{{"kind", "synthetic_core"}, {"instructions", "10"}};
  const Assignments job{{"kind", "job"}, {"path", "x"}, {"format", "job"}};
  // The beginning of each message, with the key, and other facts that it names.
  const std::vector<std::tuple<std::vector<Assignments>, Assignments, const char*, const char*>>
      wrong{
          {{core}, {{"frontend.nodes.count", "0"}}, "frontend.nodes.count: '0'", "1 .. 16"},
          {{core},
           {{"frontend.nodes.count", "9"}, {"controller.channels", "8"}},
           "frontend.nodes.count: 9",
           "at most 8"},
          {{core},
           {{"frontend.network.latency", "2s"}},
           "frontend.network.latency: '2s'",
           "0s .. 1s"},
          {{core},
           {{"frontend.network.rate", "3kb/s"}},
           "frontend.network.rate: '3kb/s'",
           "1Mb/s .. 1Tb/s"},
          {{core},
           {{"frontend.network.rate", "1500kb/s"}},
           "frontend.network.rate: ",
           "whole megabits"},
          {{core, with(core, {{"core", "1"}, {"node", "2"}})},
           kTwo,
           "agent.1.node: ",
           "frontend.nodes.count is 2"},
          {{with(job, {{"nodes", "0-2"}, {"tasks", "3"}, {"cores", "0-2"}})},
           kTwo,
           "agent.0.nodes: ",
           "frontend.nodes.count is 2"},
          {{core, with(core, {{"node", "1"}})}, kTwo, "agent.1.core: ", "node 0"},
          {{with(job, {{"cores", "0-1"}}), with(job, {{"cores", "1"}, {"nodes", "1"}})},
           kTwo,
           "agent.1.cores: ",
           "node 0"},
          {{with(job, {{"nodes", "0-1"}, {"tasks", "2"}, {"cores", "0-2"}})},
           kTwo,
           "agent.0.cores: 3",
           "multiple of 2"},
          {{with(job, {{"nodes", "0-1"}, {"cores", "0-1"}})},
           kTwo,
           "agent.0.tasks: 1",
           "at least 2"},
          {{with(job, {{"nodes", "0, 0"}})}, kTwo, "agent.0.nodes: '0, 0'", "0 to 15"},
      };
  for (const auto& [agents, config, start, named] : wrong) {
    const std::string error = error_with(agents, config);
    EXPECT_EQ(error.rfind(start, 0), 0u) << error;
    EXPECT_NE(error.find(named), std::string::npos) << error;
  }
  EXPECT_EQ(error_of({"thread a\nsend 0 x 1B\nsend 2 x 1B\n", kSpread, kTwo})
                .rfind("x.job:3: task 2 ", 0),
            0u);
  EXPECT_EQ(error_of({"task 5\nthread a\ncompute 1\n", kSpread, kTwo}).rfind("x.job:1: task 5 ", 0),
            0u);
  EXPECT_NE(error_of({"thread a\nread 1\n", kSpread, with(kTwo, {{"nvdimm.present", "false"}})})
                .find("agent.0: "),
            std::string::npos);
}

}  // namespace
}  // namespace hmsim::testing
