// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llc_core.h"

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
  return errors;
}

std::unique_ptr<MissSource> LlcCore::open_source() {
  return find_format(kMissFormats, trace_.format)
      ->open(trace_.open(index(), surroundings()), vcpu_);
}

const AgentDescriptor kLlcTraceAgent{
    "llc_trace", "out-of-order core over a trace of last-level cache misses", make_agent<LlcCore>};

}  // namespace hmsim
