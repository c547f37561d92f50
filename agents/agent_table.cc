// SPDX-License-Identifier: BSD-3-Clause
// The kinds of agents.
#include "agents/agent.h"
#include "agents/block/block_agent.h"
#include "agents/core/cpu_core.h"
#include "agents/core/llc_core.h"
#include "agents/core/synthetic_core.h"
#include "agents/stream/memory_trace.h"
#include "agents/stream/pattern_agent.h"
#include "agents/stream/synthetic.h"

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
