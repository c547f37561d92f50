// SPDX-License-Identifier: BSD-3-Clause
// The kinds of agents.
#include "frontend/agent.h"
#include "frontend/block_agent.h"
#include "frontend/cpu_core.h"
#include "frontend/llc_core.h"
#include "frontend/memory_trace.h"
#include "frontend/pattern_agent.h"
#include "frontend/synthetic.h"
#include "frontend/synthetic_core.h"

namespace hmsim {

namespace {

constexpr const AgentDescriptor* kAgentTable[] = {
    &kLlcTraceAgent,  &kCpuTraceAgent,      &kBlockTraceAgent, &kMemoryTraceAgent,
    &kSyntheticAgent, &kSyntheticCoreAgent, &kPatternAgent};

}  // namespace

std::vector<std::string> agent_kinds() {
  std::vector<std::string> kinds;
  for (const AgentDescriptor* agent : kAgentTable) {
    kinds.emplace_back(agent->kind);
  }
  return kinds;
}

const AgentDescriptor* find_agent(std::string_view kind) {
  for (const AgentDescriptor* agent : kAgentTable) {
    if (kind == agent->kind) {
      return agent;
    }
  }
  return nullptr;
}

}  // namespace hmsim
