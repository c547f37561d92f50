// SPDX-License-Identifier: BSD-3-Clause
// Descriptor and keys of kind cpu_trace; cpu_core.h describes its behaviour.
#include "agents/core/cpu_core.h"
#include "traces/trace_formats.h"

namespace hmsim {

void CpuCore::declare(ParameterSet& parameters) {
  CoreAgent::declare(parameters);
  cache_parameters_.declare(parameters);
  parameters.integer_or(
      "address_space", space_, {0, 255}, "own", kOwnSpace, "",
      {"core whose address space the trace uses: equal addresses are the same line of a shared L3 "
       "and the same place in DRAM; own: a separate address space",
       "a modelling choice of hmsim"});
  trace_.declare(parameters, format_names(TraceKind::instructions));
  parameters.integer("instructions", instructions_, {0, std::int64_t{1} << 60}, "instructions",
                     {"instructions to run; 0: to the trace's end", "the workload's own"});
  parts_.declare(parameters);
}

std::vector<ParameterError> CpuCore::check() const {
  std::vector<ParameterError> errors = CoreAgent::check();
  append(errors, cache_parameters_.check());
  append(errors, cache_parameters_.check_shared(shared_l3_));
  append(errors, trace_.check(format_names(TraceKind::instructions)));
  append(errors, parts_.check(instructions_));
  return errors;
}

extern const AgentDescriptor kAgent_cpu_trace;
const AgentDescriptor kAgent_cpu_trace{
    "cpu_trace", "out-of-order core over a trace of every instruction, through L1, L2 and L3",
    make_agent<CpuCore>};

}  // namespace hmsim
