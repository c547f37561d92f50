// SPDX-License-Identifier: BSD-3-Clause
// The keys by which an agent names its trace.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "core/parameters.h"
#include "traces/trace_formats.h"
#include "traces/trace_reader.h"

namespace hmsim {

struct TraceKeys {
  std::string path;
  std::string format;
  std::string levels;  // of formats with address vectors

  // `formats`: names of the formats that fit the agent.
  void declare(ParameterSet& parameters, const std::vector<std::string>& formats);
  // And the key of formats of memory requests, for agents that take them.
  void declare_levels(ParameterSet& parameters);
  std::vector<ParameterError> check(const std::vector<std::string>& formats) const;

  // nullptr: `format` is none.
  const FormatDescriptor* descriptor() const { return find_format(format); }
  TraceReader open(std::size_t agent, const AgentEnvironment& environment) const;
  // Of a format of memory requests. The keys are right.
  std::unique_ptr<AccessSource> open_accesses(std::size_t agent,
                                              const AgentEnvironment& environment) const;
};

}  // namespace hmsim
