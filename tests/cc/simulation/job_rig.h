// SPDX-License-Identifier: BSD-3-Clause
// Complete simulations of one job.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {

// Reads of unwritten pages are answered at once, so these pages are written before.
inline const Assignments kSmall = keys_from(
    "nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=15 nvdimm.buffer.read_size=1MiB "
    "nvdimm.buffer.write_size=1MiB nvdimm.precondition.fill=0.02 frontend.translation=modulo "
    "frontend.core.window=65536 frontend.node.copy_instructions=1");

struct Job {
  std::string program;
  Assignments keys = {};
  Assignments config = {};
  std::uint64_t seed = 1;
  std::int64_t log_rows = 0;  // rows of the command log and of the thread log; 0: no logs
};

inline std::unique_ptr<Simulation> make(const Job& job) {
  Assignments config = with(kSmall, job.config);
  Assignments keys = with({{"kind", "job"}, {"path", "x.job"}, {"format", "job"}}, job.keys);
  RunOptions options;
  options.seed = job.seed;
  options.log_commands = job.log_rows;
  options.log_requests = job.log_rows > 0;
  return std::make_unique<Simulation>(config, std::vector<Assignments>{keys}, options,
                                      text_source(job.program));
}

inline std::unique_ptr<Simulation> run(const Job& job) {
  auto simulation = make(job);
  run_to_end(*simulation);
  return simulation;
}

inline double makespan_ns(const Job& job) {
  return value_of(*run(job), "agent.0.makespan_us") * 1e3;
}

inline std::string error_of(const Job& job) {
  return error_from([&] { run(job); });
}

// Returns a column of a request log.
inline const std::vector<std::int64_t>& column_of(const RequestLog::Columns& log,
                                                  std::string_view name) {
  const auto found = std::find(RequestLog::kNames.begin(), RequestLog::kNames.end(), name);
  return log[static_cast<std::size_t>(found - RequestLog::kNames.begin())];
}

// Returns a thread that reads `pages` different pages one after another.
inline std::string reader(int pages) {
  std::string text = "thread reader\n";
  for (int page = 0; page < pages; ++page) {
    text += "read " + std::to_string(page) + "\n";
  }
  return text;
}

// Returns three threads that compute, read, read ahead, write and sync.
inline std::string random_program(std::uint64_t seed) {
  Random random(seed);
  std::string text = "thread worker 3\n";
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t page = random.below(800);
    text += "compute " + std::to_string(random.below(40'000)) + "\n";
    text += (i % 3 == 0 ? "write " : i % 5 == 1 ? "read_ahead " : "read ");
    text += std::to_string(page) + (i % 5 == 1 ? " 3\ncompute 900\nuse " : " 1\ncompute 9\nuse ") +
            std::to_string(page) + "\n";
    text += i % 20 == 19 ? "sync\n" : "load " + std::to_string(random.below(1 << 20) * 64) + "\n";
  }
  return text;
}

}  // namespace hmsim::testing
