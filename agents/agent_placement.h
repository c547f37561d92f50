// SPDX-License-Identifier: BSD-3-Clause
// Nodes of an agent, and the cores on them that run a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hmsim {

// Core that runs the threads of jobs.
struct JobCore {
  std::int64_t number = 0;
  double base_cpi = 0;  // CoreParameters::base_cpi
};

struct AgentPlacement {
  std::vector<std::int64_t> nodes;  // ascending; only a job has more than one
  const char* key = "node";         // the key that lists them
  // Cores used on each node, by its index in `nodes`. Empty unless the agent is a job.
  std::vector<std::vector<JobCore>> cores = {};

  std::vector<JobCore> cores_of(std::size_t which) const {
    return cores.empty() ? std::vector<JobCore>() : cores[which];
  }
};

}  // namespace hmsim
