// SPDX-License-Identifier: BSD-3-Clause
// Are nodes with separate memories independent, and do nodes that share one affect each other?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

using Columns = RequestLog::Columns;

std::size_t column(const std::string& name) {
  const auto found = std::find(RequestLog::kNames.begin(), RequestLog::kNames.end(), name);
  return static_cast<std::size_t>(found - RequestLog::kNames.begin());
}

// Misses of both memories.
std::string misses(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 1'200; ++i) {
    const std::uint64_t memory = random.below(6) == 0 ? std::uint64_t{1} << 39 : 0;
    words.push_back(
        hmsim_record(memory | random.below(1 << 16), random.below(3) == 0, 0, random.below(200)));
  }
  return hmsim_trace(words, 1, 2);
}

// A core and a job on each node, numbered by node; agent i reads text i.
struct Machine {
  std::vector<std::string> texts;
  std::vector<Assignments> agents;

  // Adds the programs of a seed, which have the same cores on every node.
  void add(std::uint64_t seed, std::int64_t node) {
    const auto core = static_cast<std::int64_t>(10 * seed);
    const std::string first = std::to_string(core);
    texts.push_back(misses(seed));
    agents.push_back({{"kind", "llc_trace"},
                      {"path", "x"},
                      {"format", "hmsim"},
                      {"core", first},
                      {"node", std::to_string(node)}});
    texts.push_back(random_program(seed));
    agents.push_back({{"kind", "job"},
                      {"path", "x"},
                      {"format", "job"},
                      {"cores", std::to_string(core + 1) + "-" + std::to_string(core + 2)},
                      {"nodes", std::to_string(node)}});
  }
  TraceSource source() const {
    return [texts = texts](std::size_t agent, std::uint64_t offset) {
      return texts[agent].substr(std::min<std::size_t>(texts[agent].size(), offset));
    };
  }
  std::unique_ptr<Simulation> run(const Assignments& more) const {
    Assignments config = with(kSmall, more);
    RunOptions options;
    options.log_requests = true;
    options.check = true;
    auto simulation = std::make_unique<Simulation>(config, agents, options, source());
    run_to_end(*simulation);
    return simulation;
  }
};

// Returns the requests of a channel without their ids, as if its node were the first one.
Columns requests_of(const Columns& all, std::int64_t channel, std::int64_t node,
                    std::int64_t channels, Simulation& simulation) {
  static const std::size_t kChannel = column("channel");
  static const std::size_t kAddress = column("address");
  Columns own;
  for (std::size_t row = 0; row < all[0].size(); ++row) {
    if (all[kChannel][row] != channel + node * channels) {
      continue;
    }
    const auto memory = static_cast<MemoryClass>(all[column("class")][row]);
    const std::int64_t part =
        simulation.memory().capacity(memory).value() / simulation.memory().config().nodes;
    for (std::size_t i = 1; i < all.size(); ++i) {
      std::int64_t value = all[i][row];
      value -= i == kChannel ? node * channels : i == kAddress ? node * part : 0;
      own[i].push_back(value);
    }
  }
  return own;
}

struct Kind {
  const char* name;
  Assignments config;
  std::int64_t channels = 2;
};

class OwnMemory : public ::testing::TestWithParam<Kind> {};

// Each node behaves exactly as it does alone, channel by channel.
TEST_P(OwnMemory, UncoupledNodesBehaveAsIfAlone) {
  const std::int64_t channels = GetParam().channels;
  const Assignments config = with(
      GetParam().config,
      {{"frontend.translation", "first_touch"}, {"controller.channels", std::to_string(channels)}});
  Machine both;
  both.add(1, 0);
  both.add(2, 1);
  const auto together = both.run(with(config, {{"frontend.nodes.count", "2"}}));
  const Columns all = together->request_log()->take();
  for (const std::int64_t node : {0, 1}) {
    Machine one;
    one.add(static_cast<std::uint64_t>(node) + 1, 0);
    const auto alone = one.run(config);
    const Columns log = alone->request_log()->take();
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const Columns wanted = requests_of(log, channel, 0, channels, *alone);
      Columns found = requests_of(all, channel, node, channels, *together);
      ASSERT_GT(wanted[1].size(), 200u);
      ASSERT_GE(found[1].size(), wanted[1].size());
      for (std::vector<std::int64_t>& each : found) {
        // The other node continued for longer.
        each.resize(std::min(each.size(), wanted[1].size()));
      }
      EXPECT_EQ(found, wanted) << node << " " << channel;
    }
    const std::string core = "core." + std::to_string(10 * (node + 1)) + ".ipc";
    EXPECT_EQ(value_of(*together, core), value_of(*alone, core));
    for (const char* what : {"ipc", "makespan_us", "progress"}) {
      EXPECT_EQ(value_of(*together, "agent." + std::to_string(2 * node + 1) + "." + what),
                value_of(*alone, std::string("agent.1.") + what))
          << node << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OwnMemory,
    ::testing::Values(
        Kind{"unified", {}},
        Kind{"quanta", keys_from("controller.queues=split controller.scheduler=atlas "
                                 "controller.nvdimm_scheduler=atlas policies.atlas.quantum=20us")},
        Kind{"clusters", {{"controller.scheduler", "tcm"}, {"policies.tcm.quantum", "20us"}}},
        Kind{"private", {{"controller.queues", "split"}, {"controller.bus", "private"}}},
        Kind{"three", {}, 3},
        Kind{"three_private", {{"controller.queues", "split"}, {"controller.bus", "private"}}, 3},
        Kind{"engine",
             {{"frontend.node.machine", "dma"}, {"nvdimm.precondition.buffer", "resident"}}}),
    [](const auto& each) { return each.param.name; });

TEST(Nodes, ASharedMemoryIsContendedFor) {
  const Assignments config{{"frontend.nodes.count", "2"}, {"frontend.nodes.memory", "shared"}};
  Machine both;
  both.add(1, 0);
  both.add(2, 1);
  const auto together = both.run(config);
  EXPECT_EQ(together->memory().channels(), 1u);
  for (const std::int64_t node : {0, 1}) {
    Machine one;
    one.add(static_cast<std::uint64_t>(node) + 1, node);
    const auto alone = one.run(config);
    const std::string agent = "agent." + std::to_string(2 * node + 1) + ".makespan_us";
    EXPECT_GT(value_of(*together, agent), value_of(*alone, "agent.1.makespan_us"));
    const std::string core = "core." + std::to_string(10 * (node + 1)) + ".ipc";
    EXPECT_LT(value_of(*together, core), value_of(*alone, core));
  }
}

}  // namespace
}  // namespace hmsim::testing
