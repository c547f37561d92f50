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
  void declare(ParameterSet& parameters, const std::vector<std::string>& formats) {
    parameters.text(
        "path", path,
        {"trace file, relative to the workload's file; required", "the workload's own"});
    parameters.name_of("format", format, formats,
                       {"format of the trace; required", "the workload's own"});
  }

  // Declares `levels`, for agents that take formats of memory requests.
  void declare_levels(ParameterSet& parameters) {
    parameters.text("levels", levels,
                    {"format ramulator2_rw only, required there: sizes of the levels of an address "
                     "vector, channel to column, with commas between them; a column is a line",
                     "the workload's own"});
  }

  std::vector<ParameterError> check(const std::vector<std::string>& formats) const {
    std::vector<ParameterError> errors;
    if (path.empty()) {
      errors.push_back({"path", "is required: the trace file"});
    }
    if (format.empty()) {
      std::string known;
      for (const std::string& name : formats) {
        known += (known.empty() ? "" : " | ") + name;
      }
      errors.push_back({"format", "is required: " + known});
    }
    const bool takes_levels = descriptor() != nullptr && descriptor()->takes_levels;
    if (const Parsed<AddressLevels> parsed = parse_levels(levels); !parsed.value) {
      errors.push_back({"levels", parsed.error});
    } else if (takes_levels && parsed.value->empty()) {
      errors.push_back({"levels", "is required: the size of each level, channel to column"});
    } else if (!takes_levels && !levels.empty()) {
      errors.push_back({"levels", "traces of format '" + format + "' have no address vectors"});
    }
    return errors;
  }

  // Returns nullptr if `format` is unknown.
  const FormatDescriptor* descriptor() const { return find_format(format); }

  TraceReader open(std::size_t agent, const AgentEnvironment& environment) const {
    return {environment.trace, agent, path, environment.trace_bytes};
  }

  // Opens a trace in a format of memory requests. The keys passed check().
  std::unique_ptr<AccessSource> open_accesses(std::size_t agent,
                                              const AgentEnvironment& environment) const {
    return descriptor()->accesses(open(agent, environment), *parse_levels(levels).value);
  }
};

}  // namespace hmsim
