// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/llc_core.h"

#include <utility>

#include "agents/core/dependent_misses.h"

namespace hmsim {

void LlcCore::declare(ParameterSet& parameters) {
  MissCore::declare(parameters);
  trace_.declare(parameters, format_names(kMissFormats));
  parameters.integer("instructions", instructions_, {0, std::int64_t{1} << 60}, "instructions",
                     {"instructions to run; 0: to the trace's end", "the workload's own"});
  parameters.integer_or("vcpu", vcpu_, {0, 7}, "all", kAllVcpus, "",
                        {"virtual processor of an hmsim trace to run; 'all': the records of all, "
                         "as one core in their order",
                         "a modelling choice of hmsim"});
  parts_.declare(parameters);
  parameters.real("dependence", dependence_, 0, 1, "",
                  {"probability that a load needs the data of the load before it, where the format "
                   "does not tell; 0: the window alone bounds the loads in flight",
                   "assumed: 0, the most parallelism that the window allows"});
  parameters.choice<bool>(
      "nt_fence", page_fences_, {{"none", false}, {"page", true}},
      {"where fences stand in traces with non-temporal writes: nowhere, or behind each run of "
       "those "
       "to one 4 KB page; dispatch then stops until the controller has accepted them",
       "page: the PMBD driver fences each segment that it copies"});
}

std::vector<ParameterError> LlcCore::check() const {
  std::vector<ParameterError> errors = MissCore::check();
  for (const ParameterError& error : trace_.check(format_names(kMissFormats))) {
    errors.push_back(error);
  }
  const MissFormat* format = find_format(kMissFormats, trace_.format);
  if (format != nullptr && !format->has_vcpus && vcpu_ != kAllVcpus) {
    errors.push_back({"vcpu", "traces of format '" + trace_.format + "' tell no vCPUs"});
  }
  for (const ParameterError& error : parts_.check(instructions_)) {
    errors.push_back(error);
  }
  return errors;
}

std::unique_ptr<MissSource> LlcCore::open_source() {
  std::unique_ptr<MissSource> source =
      find_format(kMissFormats, trace_.format)->open(trace_.open(index(), surroundings()), vcpu_);
  if (dependence_ == 0) {
    return source;
  }
  return std::make_unique<DependentMisses>(std::move(source), dependence_, surroundings().seed,
                                           index());
}

const AgentDescriptor kLlcTraceAgent{
    "llc_trace", "out-of-order core over a trace of last-level cache misses", make_agent<LlcCore>};

}  // namespace hmsim
