// SPDX-License-Identifier: BSD-3-Clause
// The keys by which an agent names its trace.
#pragma once

#include <string>
#include <vector>

#include "agents/agent.h"
#include "core/parameters.h"
#include "traces/trace_reader.h"

namespace hmsim {

struct TraceKeys {
  std::string path;
  std::string format;

  // `formats`: names of the formats that fit the agent.
  void declare(ParameterSet& parameters, const std::vector<std::string>& formats);
  std::vector<ParameterError> check(const std::vector<std::string>& formats) const;

  TraceReader open(std::size_t agent, const AgentEnvironment& environment) const;
};

}  // namespace hmsim
