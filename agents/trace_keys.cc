// SPDX-License-Identifier: BSD-3-Clause
#include "agents/trace_keys.h"

namespace hmsim {

void TraceKeys::declare(ParameterSet& parameters, const std::vector<std::string>& formats) {
  parameters.text("path", path,
                  {"trace file, relative to the workload's file; required", "the workload's own"});
  parameters.name_of("format", format, formats,
                     {"format of the trace; required", "the workload's own"});
}

std::vector<ParameterError> TraceKeys::check(const std::vector<std::string>& formats) const {
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
  return errors;
}

TraceReader TraceKeys::open(std::size_t agent, const AgentEnvironment& environment) const {
  return {environment.trace, agent, path, environment.trace_bytes};
}

}  // namespace hmsim
