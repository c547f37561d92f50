// SPDX-License-Identifier: BSD-3-Clause
// Does block I/O on the NVDIMM pass the same software layers as on storage?
#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "tests/cc/simulation/values.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

std::unique_ptr<Simulation> run(const std::string& format, const std::string& trace,
                                const Assignments& keys = {}, const Assignments& more = {}) {
  return run_blocks(with({{"nvdimm.kind", "sttram"}, {"nvdimm.capacity", "16MiB"}}, more), format,
                    trace, with({{"threads", "1"}}, keys));
}

TEST(NvdimmStorage, LayersAddUpToTheLatencyThatTheThreadSees) {
  const auto done =
      run("mqsim", "0 0 0 8 1\n0 0 80 24 1\n", {}, {{"storage.path.file_system.time", "5us"}});
  const std::string path = "agent.0.storage.read.";
  EXPECT_DOUBLE_EQ(value_of(*done, path + "entry_us"), (3.0 + 4.0) / 2) << "by pages";
  EXPECT_DOUBLE_EQ(value_of(*done, path + "file_system_us"), 5);
  EXPECT_EQ(value_of(*done, path + "context_wait_us"), 0);
  const double device = value_of(*done, path + "device_us");
  EXPECT_GT(device, 0);
  const auto latency = statistic_of(done->statistics(), "agent.0.request_latency_us.read");
  EXPECT_NEAR(latency.summary.at(0).second, 3.5 + 5 + device, 1e-9);
}

TEST(NvdimmStorage, LinesCountAsRequestsAndBlocksAsProgress) {
  const auto done = run("mqsim", "0 0 0 8 1\n0 0 80 24 0\n");
  EXPECT_EQ(value_of(*done, "sim.requests"), 64 * 4);
  EXPECT_EQ(value_of(*done, "agent.0.progress"), 4);
  EXPECT_EQ(value_of(*done, "agent.0.storage.reads"), 1);
  EXPECT_EQ(value_of(*done, "agent.0.storage.write_bytes"), 3 * 4'096);
  EXPECT_EQ(value_of(*done, "agent.0.storage.device.reads"), 1);
}

// Agents have separate files.
TEST(NvdimmStorage, EachAgentHasSeparateSoftware) {
  const Assignments config{{"nvdimm.kind", "sttram"}, {"nvdimm.capacity", "16MiB"}};
  const Assignments agent{
      {"kind", "block_trace"}, {"path", "t"}, {"format", "mqsim"}, {"threads", "1"}};
  Assignments other = agent;
  other.insert(other.end(), {{"core", "1"}, {"request_time", "9us"}});
  Simulation both(config, {agent, other}, RunOptions(), text_source("0 0 0 8 1\n"));
  while (!both.run(1'000)) {
  }
  EXPECT_DOUBLE_EQ(value_of(both, "agent.0.storage.read.entry_us"), 3);
  EXPECT_DOUBLE_EQ(value_of(both, "agent.1.storage.read.entry_us"), 9.5);
}

}  // namespace
}  // namespace hmsim::testing
