// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a simulation by their paths, and runs to the end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {

inline double value_of(const Simulation& simulation, const std::string& path) {
  return number_of(statistic_of(simulation.statistics(), path));
}

inline void run_to_end(Simulation& simulation) {
  while (!simulation.run(1'000'000)) {
  }
}

// Runs an agent that replays the text of a block trace.
inline std::unique_ptr<Simulation> run_blocks(const Assignments& config, const std::string& format,
                                              const std::string& trace, const Assignments& keys) {
  const Assignments agent =
      with({{"kind", "block_trace"}, {"path", "t"}, {"format", format}}, keys);
  auto simulation = std::make_unique<Simulation>(config, std::vector<Assignments>{agent},
                                                 RunOptions(), text_source(trace));
  run_to_end(*simulation);
  return simulation;
}

// Saves a run after `steps` kernel steps, and each time after `factor` times as many and `more`,
// below `most`. Runs that continue from these checkpoints must end like an uninterrupted one, which
// is returned.
template <class Make>
std::unique_ptr<Simulation> expect_exact_continuation(const Make& make, std::uint64_t most,
                                                      std::uint64_t factor, std::uint64_t more = 1,
                                                      std::uint64_t steps = 1) {
  auto whole = make();
  run_to_end(*whole);
  const std::string end = whole->save();
  const auto first = make();
  for (std::uint64_t done = 0; steps < most; done = steps, steps = steps * factor + more) {
    first->run(steps - done);
    const auto second = make();
    second->load(first->save(), "a.ckpt");
    run_to_end(*second);
    EXPECT_EQ(second->now(), whole->now()) << steps << " steps";
    EXPECT_TRUE(second->save() == end) << steps << " steps";
  }
  return whole;
}

}  // namespace hmsim::testing
