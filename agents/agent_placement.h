// SPDX-License-Identifier: BSD-3-Clause
// The nodes of an agent, and the cores on them that run a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hmsim {

// A core that runs jobs, as these want it.
struct JobCore {
  std::int64_t number = 0;
  double base_cpi = 0;  // CoreParameters::base_cpi
};

struct AgentPlacement {
  std::vector<std::int64_t> nodes;  // ascending; more than one only of a job
  const char* key = "node";         // the key that names them
  // Cores that a job uses on each of its nodes. Empty: not a job.
  std::vector<std::vector<JobCore>> cores = {};

  std::vector<JobCore> cores_of(std::size_t which) const {
    return cores.empty() ? std::vector<JobCore>() : cores[which];
  }
};

}  // namespace hmsim
