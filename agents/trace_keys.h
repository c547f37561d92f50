// SPDX-License-Identifier: BSD-3-Clause
// Keys that name an agent's trace.
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
  std::string levels;  // for formats with address vectors

  // `formats`: names of the formats that suit the agent.
  void declare(ParameterSet& parameters, const std::vector<std::string>& formats);
  // Declares `levels`, for agents that take formats of memory requests.
  void declare_levels(ParameterSet& parameters);
  std::vector<ParameterError> check(const std::vector<std::string>& formats) const;

  // Returns nullptr if `format` is unknown.
  const FormatDescriptor* descriptor() const { return find_format(format); }
  TraceReader open(std::size_t agent, const AgentEnvironment& environment) const;
  // Opens a trace in a format of memory requests. The keys passed check().
  std::unique_ptr<AccessSource> open_accesses(std::size_t agent,
                                              const AgentEnvironment& environment) const;
};

}  // namespace hmsim
