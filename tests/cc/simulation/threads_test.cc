// SPDX-License-Identifier: BSD-3-Clause
// Can simulations run at the same time in one process? They share nothing, so each must give the
// same results as alone. ThreadSanitizer (tools/test tsan) would report a shared variable.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

// Covers each kind of queue, collection and buffer, a second rank, and PCM instead of flash.
const std::array<Assignments, 4> kSystems{{
    {},
    {{"controller.queues", "split"}, {"nvdimm.gc.scheduler", "proactive"}, {"dram.ranks", "2"}},
    {{"controller.scheduler", "pas"}, {"nvdimm.buffer.manager", "prefetch_preevict"}},
    {{"nvdimm.kind", "pcm"}, {"dram.power_down", "fast"}},
}};

const std::vector<Assignments> kAgents{
    {{"kind", "synthetic_core"}, {"rpki", "20"}, {"instructions", "20000"}},
    {{"kind", "synthetic"}, {"core", "1"}, {"target", "nvdimm"}, {"requests", "1000"}},
};

// Returns a checkpoint of the end of a run, and every statistic.
std::string outcome(const Assignments& system) {
  RunOptions options;
  options.check = true;
  options.log_requests = true;
  options.log_commands = 1'000;
  Simulation simulation(system, kAgents, options, text_source("", 1));
  while (!simulation.run(1'000)) {
    simulation.request_log()->take();
  }
  std::string text = simulation.save();
  for (const Statistic& statistic : simulation.statistics()) {
    text += statistic.path + " " + std::to_string(statistic.count) + " " +
            std::to_string(statistic.value) + "\n";
  }
  return text;
}

TEST(Threads, ConcurrentSimulationsGiveTheSameResultsAsAlone) {
  std::array<std::string, kSystems.size()> together;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kSystems.size(); ++i) {
    threads.emplace_back([&together, i] { together[i] = outcome(kSystems[i]); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < kSystems.size(); ++i) {
    EXPECT_TRUE(together[i] == outcome(kSystems[i])) << "system " << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(together[i] == together[j]) << i << " and " << j << " are the same system";
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
