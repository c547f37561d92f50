// SPDX-License-Identifier: BSD-3-Clause
// Descriptor and keys of kind job; job_agent.h describes its behaviour.
#include "agents/node/job_agent.h"

namespace hmsim {

void JobAgent::declare(ParameterSet& parameters) {
  declare_measured(parameters);
  keys_.declare(parameters);
}

extern const AgentDescriptor kAgent_job;
const AgentDescriptor kAgent_job{
    "job", "threads that compute, transfer and wait, on the cores of a node", make_agent<JobAgent>};

}  // namespace hmsim
