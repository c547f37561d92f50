// SPDX-License-Identifier: BSD-3-Clause
// Cores named by jobs: their owners and their speed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cc/names.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

TEST(JobCores, ACoreIsEitherOfANodeOrOfAnAgent) {
  const std::vector<Assignments> agents{
      {{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"cores", "1-2"}},
      {{"kind", "synthetic_core"}, {"instructions", "10"}, {"core", "2"}}};
  EXPECT_THROW(Simulation(kSmall, agents, {}, text_source("thread a\ncompute 4\n")), InputError);
}

// 400,000 instructions: 400 us at 2 cycles each, 50 us at the full width of the core.
TEST(JobCores, ABaseCpiAppliesToItsOwnCores) {
  const std::string program = "thread main\ncompute 400000\n";
  const double own = makespan_ns({program, {{"base_cpi", "2"}}});
  EXPECT_NEAR(own, 400'000, 10);
  EXPECT_EQ(own, makespan_ns({program, {}, {{"frontend.core.base_cpi", "2"}}}));
  EXPECT_NEAR(makespan_ns({program, {{"base_cpi", "0"}}, {{"frontend.core.base_cpi", "2"}}}),
              50'000, 10);
  const Assignments job{{"kind", "job"}, {"path", "x"}, {"format", "job"}};
  Assignments slow = job;
  slow.insert(slow.end(), {{"cores", "1"}, {"base_cpi", "2"}});
  Simulation two(kSmall, {job, slow}, {}, text_source(program));
  run_to_end(two);
  EXPECT_NEAR(value_of(two, "agent.0.makespan_us"), 50, 0.01);
  EXPECT_NEAR(value_of(two, "agent.1.makespan_us"), 400, 0.01);
}

TEST(JobCores, AgentsThatShareACoreHaveOneBaseCpi) {
  const auto error_with = [](const char* base_cpi, const char* cores) -> std::string {
    const std::vector<Assignments> agents{
        {{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"cores", "1-2"}, {"base_cpi", "0.5"}},
        {{"kind", "job"},
         {"path", "x"},
         {"format", "job"},
         {"cores", cores},
         {"base_cpi", base_cpi}}};
    return error_from(
        [&] { Simulation(kSmall, agents, {}, text_source("thread a\ncompute 4\n")); });
  };
  EXPECT_TRUE(names(error_with("2", "2-3"), {"agent.1.base_cpi: ", "core 2", "agent 0", "0.5"}));
  EXPECT_EQ(error_with("0.5", "2-3"), "");
  EXPECT_EQ(error_with("2", "3"), "");
  EXPECT_TRUE(names(error_with("0.2", "3"), {"agent.1.base_cpi: ", "1/4"}));
}

}  // namespace
}  // namespace hmsim::testing
