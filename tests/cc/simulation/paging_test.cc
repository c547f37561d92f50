// SPDX-License-Identifier: BSD-3-Clause
// Does a core wait exactly for its pages that are not in memory?
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

constexpr double kTrap = 2;      // us
constexpr double kIo = 5 + 100;  // swap path and device

Assignments machine(const std::string& memory) {
  return {{"nvdimm.present", "false"},
          {"dram.refresh", "false"},
          {"storage.kind", "table"},
          {"storage.table.read", "4KiB=100us"},
          {"storage.table.write", "4KiB=100us"},
          {"storage.capacity", "1MiB"},
          {"storage.paging.memory", memory}};
}

Assignments core(int number, const Assignments& more = {}) {
  return with({{"kind", "llc_trace"},
               {"core", std::to_string(number)},
               {"path", "t"},
               {"format", "ramulator"}},
              more);
}

const Assignments kPaged{{"paged", "true"}};

std::unique_ptr<Simulation> make(const Assignments& config, const std::vector<Assignments>& agents,
                                 const std::string& trace, const RunOptions& options = {}) {
  return std::make_unique<Simulation>(config, agents, options, text_source(trace));
}

std::unique_ptr<Simulation> run(const Assignments& config, const std::vector<Assignments>& agents,
                                const std::string& trace, const RunOptions& options = {}) {
  auto simulation = make(config, agents, trace, options);
  run_to_end(*simulation);
  return simulation;
}

double us(const Simulation& simulation) {
  return static_cast<double>(simulation.now().value()) / 1e6;
}

std::string error_of(const Assignments& config, const Assignments& agent,
                     const std::string& trace) {
  return error_from([&] { run(config, {agent}, trace); });
}

// Loads, each with a write-back to the same page, of three pages that share two frames.
TEST(Paging, AFaultAddsTrapSwapPathAndDevice) {
  const std::string trace =
      "4000 0 0\n4000 4096 4096\n4000 8192 8192\n4000 64\n4000 8256\n4000 0\n";
  const auto whole = run(machine("1MiB"), {core(0)}, trace);
  const auto paged = run(machine("8KiB"), {core(0, kPaged)}, trace);
  // Four faults. The first three fill their frames with zeros; the third also writes page 0 back.
  // The fourth writes page 1 back and reads page 0.
  EXPECT_NEAR(us(*paged) - us(*whole), 4 * kTrap + 3 * kIo, 0.05);
  EXPECT_EQ(value_of(*paged, "core.0.page_faults"), 4);
  EXPECT_EQ(value_of(*paged, "storage.paging.faults"), 4);
  EXPECT_EQ(value_of(*paged, "storage.paging.zero_fills"), 3);
  EXPECT_EQ(value_of(*paged, "storage.paging.writes"), 2);
  EXPECT_EQ(value_of(*paged, "storage.paging.reads"), 1);
  EXPECT_EQ(value_of(*paged, "dram.reads"), value_of(*whole, "dram.reads"));
}

// The two pages of a record need not be in memory at the same time.
TEST(Paging, OneFrameIsEnough) {
  const auto paged = run(machine("4KiB"), {core(0, kPaged)}, "4000 0 4096\n4000 0 4096\n");
  EXPECT_EQ(value_of(*paged, "core.0.page_faults"), 4);
  EXPECT_EQ(value_of(*paged, "storage.paging.writes"), 1);  // page 1, before page 0 returns
  EXPECT_EQ(value_of(*paged, "agent.0.progress"), 8'002);
}

// Cores share frames but not pages. An agent without paging never waits.
TEST(Paging, CoresHaveSeparatePages) {
  const std::string trace = "4000 0\n4000 64\n";
  const auto two = run(machine("8KiB"), {core(0, kPaged), core(1, kPaged)}, trace);
  EXPECT_EQ(value_of(*two, "storage.paging.zero_fills"), 2);
  const auto one = run(machine("8KiB"), {core(0), core(1, kPaged)}, trace);
  EXPECT_EQ(value_of(*one, "storage.paging.zero_fills"), 1);
}

std::string random_trace() {
  std::string trace;
  Random random(9);
  for (int i = 0; i < 150; ++i) {
    trace += std::to_string(random.below(300)) + " " + std::to_string(random.below(12) << 12);
    trace += i % 2 == 0 ? " " + std::to_string(random.below(12) << 12) + "\n" : "\n";
  }
  return trace;
}

TEST(Paging, ASavedRunContinuesExactly) {
  // The last agent finishes before the others: it starts over, and may wait for a page at that
  // moment.
  const std::vector<Assignments> agents{core(0, kPaged),
                                        core(1, {{"paged", "true"}, {"mshrs", "2"}}),
                                        core(2, {{"paged", "true"}, {"instructions", "700"}})};
  for (const char* replacement : {"lru", "lirs"}) {
    Assignments config = machine("64KiB");
    config.emplace_back("storage.paging.replacement", replacement);
    RunOptions options;
    options.warmup = Tick(3'000'000'000);
    SCOPED_TRACE(replacement);
    const auto whole = expect_exact_continuation(
        [&] { return make(config, agents, random_trace(), options); }, 20'000, 2);
    EXPECT_GT(value_of(*whole, "agent.2.passes"), 1);
  }
}

TEST(Paging, UnsupportedCombinationsAreErrors) {
  const std::string trace = "4000 0\n4000 4096\n";
  EXPECT_TRUE(names(error_of(machine("0B"), core(0, kPaged), trace),
                    {"agent.0.paged: ", "storage.paging.memory"}));
  Assignments none = machine("8KiB");
  none.emplace_back("storage.kind", "none");
  EXPECT_TRUE(names(error_of(none, core(0), trace), {"storage.paging.memory: ", "device"}));
  EXPECT_TRUE(
      names(error_of(machine("5000B"), core(0), trace), {"storage.paging.memory: ", "4KiB"}));
  Assignments small = machine("4KiB");
  small.emplace_back("storage.capacity", "4KiB");
  EXPECT_TRUE(names(error_of(small, core(0, kPaged), trace), {"storage.capacity: ", "agents"}));
}

}  // namespace
}  // namespace hmsim::testing
