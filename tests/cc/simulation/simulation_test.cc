// SPDX-License-Identifier: BSD-3-Clause
// Do agents, memory and the rules of a run work together?
#include "simulation/simulation.h"

#include <gtest/gtest.h>

#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

const Assignments kCore{{"kind", "synthetic_core"}, {"rpki", "20"}, {"instructions", "60000"}};
const Assignments kBlock{
    {"kind", "block_trace"}, {"core", "1"}, {"path", "t"}, {"format", "mqsim"}, {"requests", "60"}};
const Assignments kStream =
    keys_from("kind=synthetic core=2 target=dram requests=2000 measured=false");

std::string block_trace() {
  std::string trace;
  for (int i = 0; i < 100; ++i) {
    trace += std::to_string(i) + " 0 " + std::to_string(i % 10 * 8) + " 8 " +
             (i % 3 == 0 ? "0\n" : "1\n");
  }
  return trace;
}

std::unique_ptr<Simulation> make(const std::vector<Assignments>& agents, RunOptions options = {},
                                 const Assignments& config = {}) {
  options.check = true;
  return std::make_unique<Simulation>(config, agents, options, text_source(block_trace(), 777));
}

std::string text_of(const Simulation& simulation) {
  std::string text;
  for (const Statistic& statistic : simulation.statistics()) {
    text += statistic.path + " " + std::to_string(statistic.count) + " " +
            std::to_string(statistic.value);
    for (const auto& [name, number] : statistic.summary) {
      text += " " + name + std::to_string(number);
    }
    text += "\n";
  }
  return text;
}

TEST(Simulation, AMixRunsToItsEnd) {
  const auto simulation = make({kCore, kBlock, kStream});
  EXPECT_EQ(simulation->progress(), 0);
  while (!simulation->run(1'000)) {
    EXPECT_LT(simulation->progress(), 1);
  }
  EXPECT_EQ(simulation->progress(), 1);
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 60'000);
  EXPECT_EQ(value_of(*simulation, "core.0.instructions"), 60'000);
  EXPECT_EQ(value_of(*simulation, "agent.1.progress"), 60);
  const double seconds = value_of(*simulation, "sim.ticks") / 1e12;
  EXPECT_EQ(value_of(*simulation, "sim.ticks"), static_cast<double>(simulation->now().value()));
  EXPECT_GE(value_of(*simulation, "agent.0.rate") * seconds, 60'000 - 1e-6);
  EXPECT_NEAR(value_of(*simulation, "core.0.ipc"), value_of(*simulation, "agent.0.rate") / 2e9,
              1e-9);
  EXPECT_EQ(value_of(*simulation, "system.ipc"), value_of(*simulation, "core.0.ipc"));
  EXPECT_GE(value_of(*simulation, "sim.requests"), 60 * 64 + 1'200);
  const Statistic response = statistic_of(simulation->statistics(), "nvdimm.response_time_us");
  EXPECT_EQ(response.count, 60u);
  EXPECT_GT(response.summary[0].second, 0.1);
}

TEST(Simulation, StepsOfAnySizeGiveEqualResults) {
  const auto portions = make({kCore, kBlock, kStream});
  while (!portions->run(7)) {
  }
  const auto whole = make({kCore, kBlock, kStream});
  EXPECT_TRUE(whole->run(1'000'000'000));
  EXPECT_EQ(text_of(*portions), text_of(*whole));
}

TEST(Simulation, ASavedRunContinuesExactly) {
  RunOptions options;
  options.warmup = 5 * kMicrosecond;
  options.warmup_instructions = 3'000;
  const auto whole = make({kCore, kBlock, kStream}, options);
  whole->run(1'000'000'000);
  for (const std::uint64_t steps : {1u, 100u, 2'000u, 9'000u}) {
    const auto first = make({kCore, kBlock, kStream}, options);
    first->run(steps);
    const std::string saved = first->save();
    const auto second = make({kCore, kBlock, kStream}, options);
    second->load(saved);
    EXPECT_EQ(text_of(*first), text_of(*second)) << steps;
    second->run(1'000'000'000);
    EXPECT_EQ(text_of(*second), text_of(*whole)) << steps;
    EXPECT_EQ(second->now(), whole->now());
  }
}

TEST(Simulation, ForeignCheckpointsAreRejected) {
  const auto simulation = make({kCore});
  const std::string saved = simulation->save();
  RunOptions other_seed;
  other_seed.seed = 2;
  EXPECT_THROW(make({kCore}, other_seed)->load(saved), InputError);
  EXPECT_THROW(make({kStream, kCore})->load(saved), InputError);
  EXPECT_THROW(make({kCore}, {}, {{"controller.queues", "split"}})->load(saved), InputError);
  EXPECT_NO_THROW(make({kCore})->load(saved));
}

TEST(Simulation, WarmUpIsNotMeasured) {
  RunOptions options;
  options.warmup = 10 * kMicrosecond;
  const auto timed = make({kCore}, options);
  timed->advance(9 * kMicrosecond);
  EXPECT_EQ(value_of(*timed, "sim.ticks"), 0);
  EXPECT_EQ(value_of(*timed, "agent.0.progress"), 0);
  timed->advance(11 * kMicrosecond);
  EXPECT_EQ(value_of(*timed, "sim.ticks"), 1e6);
  EXPECT_TRUE(timed->run(1'000'000'000));
  EXPECT_EQ(value_of(*timed, "agent.0.progress"), 60'000);
  EXPECT_EQ(value_of(*timed, "sim.ticks") + 10e6, static_cast<double>(timed->now().value()));

  options.warmup_instructions = 50'000;
  const auto counted = make({kCore}, options);
  EXPECT_TRUE(counted->run(1'000'000'000));
  EXPECT_EQ(value_of(*counted, "agent.0.progress"), 60'000);
  EXPECT_GT(counted->now(), timed->now());
}

std::optional<std::uint64_t> send(Simulation& simulation, Address line, bool write = false) {
  return simulation.enqueue(line, 64, write, 0, std::nullopt);
}

// A line takes 4 cycles of 1.25 ns.
TEST(Simulation, SharesOfTheBusExcludeTheWarmUp) {
  RunOptions options;
  options.warmup = 100 * kMicrosecond;
  const auto simulation = make({}, options);
  const Address nvdimm(simulation->memory().capacity(MemoryClass::dram).value());
  for (int line = 0; line < 20; ++line) {
    send(*simulation, Address(64 * line));
    send(*simulation, nvdimm + Address(64 * line), true);
  }
  simulation->advance(110 * kMicrosecond);
  for (const char* share : {"bus.dram_share", "bus.nvdimm_share", "bus.ack_share"}) {
    EXPECT_EQ(value_of(*simulation, share), 0) << share;
  }
  EXPECT_EQ(value_of(*simulation, "bus.idle_ratio"), 1);
  send(*simulation, Address(1 << 20));
  send(*simulation, Address((1 << 20) + 64));
  simulation->advance(120 * kMicrosecond);
  EXPECT_DOUBLE_EQ(value_of(*simulation, "bus.dram_share"), 2 * 5e-3 / 20);
  EXPECT_EQ(value_of(*simulation, "dram.row_hit_ratio"), 0.5);
}

TEST(Simulation, RequestsSentByHandComplete) {
  const auto simulation = make({});
  EXPECT_TRUE(simulation->run(10));
  const Address nvdimm(simulation->memory().capacity(MemoryClass::dram).value());
  EXPECT_EQ(send(*simulation, Address(64)), 0u);
  EXPECT_EQ(send(*simulation, nvdimm, true), 1u);
  EXPECT_TRUE(simulation->take_completions().empty());
  simulation->advance(Tick(1'000 * kMicrosecond));
  EXPECT_EQ(simulation->now(), 1'000 * kMicrosecond);
  const std::vector<Completion> done = simulation->take_completions();
  ASSERT_EQ(done.size(), 2u);
  for (const Completion& completion : done) {
    EXPECT_GT(completion.finish, completion.arrival);
  }
  EXPECT_TRUE(simulation->take_completions().empty());
  EXPECT_EQ(value_of(*simulation, "sim.requests"), 2);
  EXPECT_THROW(send(*simulation, Address(-64)), InputError);
  EXPECT_THROW(send(*simulation,
                    nvdimm + Address(simulation->memory().capacity(MemoryClass::nvdimm).value())),
               InputError);
  int taken = 0;
  while (send(*simulation, Address(64 * taken)) && taken < 10'000) {
    ++taken;
  }
  EXPECT_EQ(taken, 128);
  simulation->advance(simulation->now() + 1'000 * kMicrosecond);
  EXPECT_EQ(simulation->take_completions().size(), 128u);
}

TEST(Simulation, AdvancingInPiecesGivesEqualResults) {
  const auto whole = make({kCore, kStream});
  EXPECT_TRUE(whole->advance(20 * kMicrosecond));
  const auto pieces = make({kCore, kStream});
  int calls = 1;
  while (!pieces->advance(20 * kMicrosecond, 20)) {
    EXPECT_LE(pieces->now(), 20 * kMicrosecond);
    ++calls;
  }
  EXPECT_GT(calls, 10);
  EXPECT_EQ(pieces->now(), 20 * kMicrosecond);
  EXPECT_EQ(text_of(*pieces), text_of(*whole));
}

std::string error_of(const std::vector<Assignments>& agents, const Assignments& config = {}) {
  return error_from([&] { make(agents, {}, config); });
}

TEST(Simulation, ReportsAllErrorsAtOnce) {
  EXPECT_TRUE(names(error_of({}, {{"frontend.core.widht", "4"}}),
                    {"frontend.core.widht: ", "'frontend.core.width'?"}));
  EXPECT_TRUE(names(error_of({}, {{"frontend.core.window", "3"}}), {"frontend.core.window: "}));
  const std::string errors =
      error_of({{{"kind", "llc_trase"}}, {{"kind", "block_trace"}, {"path", "t"}}, {}});
  EXPECT_TRUE(names(errors, {"agent.0.kind: ", "'llc_trase'", "'llc_trace'?",
                             "\nagent.1.format: ", "blkparse", "\nagent.2.kind: ", "block_trace"}));
  EXPECT_TRUE(names(error_of({kCore, kCore}), {"agent.1.core: ", "core 0", "agent 0"}));
  EXPECT_NE(error_of({kStream}).find("measured"), std::string::npos);
  EXPECT_TRUE(names(error_of({kBlock}, {{"nvdimm.present", "false"}}), {"block_trace", "NVDIMM"}));
}

TEST(Simulation, DescribesItself) {
  EXPECT_GE(Simulation::agent_kinds().size(), 8u) << "a kind is lost";
  for (const std::string& kind : Simulation::agent_kinds()) {
    for (const ParameterInfo& info : Simulation::agent_parameters(kind)) {
      EXPECT_FALSE(info.doc.empty()) << kind << "." << info.name;
      EXPECT_FALSE(info.source.empty()) << kind << "." << info.name;
    }
  }
  EXPECT_THROW(Simulation::agent_parameters("none"), InputError);
  const Assignments resolved = Simulation::resolve({{"frontend.core.width", "2"}});
  EXPECT_EQ(Simulation::resolve(resolved), resolved);
  EXPECT_EQ(resolved.size(), Simulation::parameters().size());
  EXPECT_TRUE(Simulation::check({}).empty());
  EXPECT_EQ(Simulation::check({{"no.such", "1"}}).size(), 1u);
  EXPECT_TRUE(Simulation::check_agent({}, kBlock).empty());
  EXPECT_EQ(Simulation::check_agent({}, {{"kind", "synthetic"}, {"footprint", "1"}}).size(), 1u);
}

TEST(Simulation, TheConfigurationSetsAgentsDefaults) {
  const auto slow = make({kCore}, {}, {{"frontend.core.frequency", "1GHz"}});
  const auto fast = make({kCore});
  slow->run(1'000'000'000);
  fast->run(1'000'000'000);
  EXPECT_GT(slow->now(), fast->now());
  Assignments own = kCore;
  own.emplace_back("frequency", "2GHz");
  const auto overridden = make({own}, {}, {{"frontend.core.frequency", "1GHz"}});
  overridden->run(1'000'000'000);
  EXPECT_EQ(overridden->now(), fast->now());
}

}  // namespace
}  // namespace hmsim::testing
